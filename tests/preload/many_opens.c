/* Files opened and closed in a loop leave nothing behind. Served: 1 call in 10 opens. */
#include <dirent.h>

#include "check.h"

static int open_descriptors(void) {
  DIR* directory = opendir("/proc/self/fd");
  int count = 0;
  while (readdir(directory) != NULL) ++count;
  closedir(directory);
  return count;
}

static long mappings(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  long lines = 0;
  for (int c; (c = fgetc(maps)) != EOF;) lines += c == '\n';
  fclose(maps);
  return lines;
}

static long resident_pages(void) {
  FILE* statm = fopen("/proc/self/statm", "r");
  long size = 0, resident = 0;
  CHECK(fscanf(statm, "%ld %ld", &size, &resident) == 2);
  fclose(statm);
  return resident;
}

static void open_and_close(const char* path, int times) {
  for (int i = 0; i < times; ++i) {
    MPI_File file = MPI_FILE_NULL;
    CHECK_MPI(
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    if (i % 10 == 0) CHECK_MPI(MPI_File_write_at_all(file, 0, &i, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_close(&file));
  }
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const int times = atoi(argv[2]);
  open_and_close(argv[1], 100);
  const int descriptors = open_descriptors();
  const long before = mappings();
  const long pages = resident_pages();
  open_and_close(argv[1], times - 100);
  CHECK(open_descriptors() <= descriptors);
  CHECK(mappings() <= before + 20);
  /* 10,000 files that each left 1 KiB would be seen. */
  const long left = (resident_pages() - pages) * 4;
  if (left >= 8 << 10) fprintf(stderr, "%ld KiB are left\n", left);
  CHECK(left < 8 << 10);
  return check_end();
}
