/* Several handles on one file, files of MPI_COMM_SELF, and a file left open at MPI_Finalize.
 * Served per rank: 2 + 1; the file left open is not reported. */
#include "check.h"

static void two_handles(const char* path) {
  MPI_File first = check_open(MPI_COMM_WORLD, path, MPI_INFO_NULL);
  MPI_File second;
  int value = check_rank, in = -1;
  CHECK_MPI(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &second));
  CHECK_MPI(MPI_File_set_view(second, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_MPI(
      MPI_File_write_at_all(first, 4 + 4 * check_rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_close(&first));
  CHECK_MPI(MPI_File_read_at_all(second, check_rank, &in, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(in == check_rank);
  CHECK_MPI(MPI_File_close(&second));
}

static void of_self(const char* path) {
  char mine[4096];
  int value = check_rank;
  snprintf(mine, sizeof mine, "%s.%d", path, check_rank);
  MPI_File file = check_open(MPI_COMM_SELF, mine, MPI_INFO_NULL);
  CHECK_MPI(MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(check_position(file) == 4);
  CHECK_MPI(MPI_File_close(&file));
}

static void left_open(const char* path) {
  char data = 'x';
  MPI_File file = check_open(MPI_COMM_WORLD, path, MPI_INFO_NULL);
  CHECK_MPI(MPI_File_write_at_all(file, check_rank, &data, 1, MPI_BYTE, MPI_STATUS_IGNORE));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  two_handles(argv[1]);
  of_self(argv[1]);
  left_open(argv[1]);
  return check_end();
}
