/* Open, write, close, many times: nothing is left behind. argv[1]: how many times. */
#include <dirent.h>

#include "support/mpi_program.h"

static int entries(const char* directory) {
  int count = 0;
  DIR* handle = opendir(directory);
  while (handle != NULL && readdir(handle) != NULL) ++count;
  if (handle != NULL) closedir(handle);
  return count;
}

static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file != NULL) fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void open_write_close(const char* path, int times) {
  char bytes[64];
  memset(bytes, 'a' + rank, sizeof bytes);
  for (int i = 0; i < times; ++i) {
    MPI_File file;
    REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    if (i % 10 == 0) {
      set_interleaved_view(file, 8);
      REQUIRE(MPI_File_write_at_all(file, 0, bytes, 64, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    REQUIRE(MPI_File_close(&file));
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv, 300);
  const int times = argc > 1 ? atoi(argv[1]) : 500;
  const char* path = scratch("open_close_loop");
  make_file(path, 0, 0);
  open_write_close(path, 50); /* what is made once is made by now */
  const int descriptors = entries("/proc/self/fd");
  const int mappings = entries("/proc/self/map_files");
  const long memory = resident_kib();
  open_write_close(path, times);
  EXPECT(entries("/proc/self/fd") <= descriptors, "%d descriptors, before %d",
         entries("/proc/self/fd"), descriptors);
  EXPECT(entries("/proc/self/map_files") <= mappings + 20, "%d mappings, before %d",
         entries("/proc/self/map_files"), mappings);
  EXPECT(resident_kib() - memory < 4096 + 4L * times, "%ld KiB more after %d times",
         resident_kib() - memory, times);
  return end();
}
