/* A view over a subarray of 10^9 rows opens at once and in little memory. ROMIO and OMPIO flatten
 * it and run out of memory or time (mpich #2182). */
#include <sys/resource.h>

#include "support/mpi_program.h"

static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file != NULL) fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A library that flattens the view shall fail here, not take the machine's memory. */
static void forbid_gigabytes(void) {
  const struct rlimit limit = {2UL << 30, 2UL << 30};
  EXPECT(setrlimit(RLIMIT_DATA, &limit) == 0, "no limit could be set");
}

int main(int argc, char** argv) {
  begin(&argc, &argv, 60);
  forbid_gigabytes();
  const char* path = scratch("huge_subarray_view");
  make_file(path, 0, 0);
  MPI_File file;
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  const int sizes[2] = {1000000000, ranks}, part[2] = {1000000000, 1}, starts[2] = {0, rank};
  MPI_Datatype column;
  REQUIRE(MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_BYTE, &column));
  REQUIRE(MPI_Type_commit(&column));

  const long before = resident_kib();
  const double start = MPI_Wtime();
  REQUIRE(MPI_File_set_view(file, 0, MPI_BYTE, column, "native", MPI_INFO_NULL));
  char bytes[100];
  memset(bytes, 'a' + rank, sizeof bytes);
  REQUIRE(MPI_File_write_at_all(file, 0, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(MPI_Wtime() - start < 2, "it took %.1f s", MPI_Wtime() - start);
  EXPECT(resident_kib() - before < 40 << 10, "it took %ld KiB", resident_kib() - before);
  MPI_Type_free(&column);
  REQUIRE(MPI_File_close(&file));
  MPI_Barrier(MPI_COMM_WORLD);

  char* all = malloc((size_t)ranks * 100);
  EXPECT(load_file(path, all, ranks * 100L) == ranks * 100L, "the file is short");
  for (int i = 0; i < ranks * 100; ++i) EXPECT(all[i] == 'a' + i % ranks, "offset %d is wrong", i);
  free(all);
  return end();
}
