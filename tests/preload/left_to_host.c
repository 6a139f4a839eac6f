/* What Headrace does not take over works as before. Left to the host, per rank: 2 calls in atomic
 * mode, 1 in sequential mode. */
#include "check.h"

static void atomic_mode(const char* path) {
  MPI_File file = check_open(MPI_COMM_WORLD, path, MPI_INFO_NULL);
  MPI_Status status;
  int value = check_rank, in = -1;
  CHECK_MPI(MPI_File_set_atomicity(file, 1));
  CHECK_MPI(MPI_File_write_at_all(file, 4 * check_rank, &value, 1, MPI_INT, &status));
  CHECK(check_count(&status, MPI_INT) == 1);
  CHECK_MPI(MPI_File_read_at_all(file, 4 * check_rank, &in, 1, MPI_INT, &status));
  CHECK(in == check_rank);
  CHECK_MPI(MPI_File_close(&file));
}

/* A collective call here is an error to ROMIO, and none to OMPIO: the same as without Headrace. */
static void sequential_mode(const char* path) {
  MPI_File file;
  int value = 7;
  if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_SEQUENTIAL | MPI_MODE_WRONLY, MPI_INFO_NULL,
                    &file) != MPI_SUCCESS)
    return;
  const int code = MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  if (check_rank == 0) printf("sequential: %d\n", check_class(code));
  CHECK_MPI(MPI_File_close(&file));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  atomic_mode(argv[1]);
  sequential_mode(argv[1]);
  return check_end();
}
