/* Split collectives. Served per rank: 4. */
#include "check.h"

static void all_four(MPI_File file) {
  MPI_Status status;
  int out[2] = {check_rank, check_rank + 100}, in[2] = {-1, -1};
  CHECK_MPI(MPI_File_set_view(file, 8 * check_rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_MPI(MPI_File_write_all_begin(file, out, 1, MPI_INT));
  CHECK_MPI(MPI_File_write_all_end(file, out, &status));
  CHECK(check_count(&status, MPI_INT) == 1);
  CHECK(check_position(file) == 1);
  CHECK_MPI(MPI_File_write_at_all_begin(file, 1, out + 1, 1, MPI_INT));
  CHECK_MPI(MPI_File_write_at_all_end(file, out + 1, MPI_STATUS_IGNORE));
  CHECK(check_position(file) == 1);
  CHECK_MPI(MPI_File_read_at_all_begin(file, 0, in, 1, MPI_INT));
  CHECK_MPI(MPI_File_read_at_all_end(file, in, &status));
  CHECK(check_count(&status, MPI_INT) == 1);
  CHECK(check_class(MPI_File_read_all_end(file, in, &status)) == MPI_ERR_IO);
  CHECK_MPI(MPI_File_read_all_begin(file, in + 1, 1, MPI_INT));
  /* Pairing is the program's duty; a wrong end is an error and leaves the right one possible. */
  CHECK(MPI_File_read_at_all_end(file, in + 1, &status) != MPI_SUCCESS);
  CHECK(MPI_File_read_all_begin(file, in + 1, 1, MPI_INT) != MPI_SUCCESS);
  CHECK_MPI(MPI_File_read_all_end(file, in + 1, &status));
  CHECK(check_count(&status, MPI_INT) == 1);
  CHECK(memcmp(out, in, sizeof in) == 0);
}

/* What is left to the host at begin is ended by the host. */
static void by_the_host(MPI_File file) {
  MPI_Status status;
  int value = check_rank;
  CHECK_MPI(MPI_File_set_atomicity(file, 1));
  CHECK_MPI(MPI_File_write_at_all_begin(file, 2, &value, 1, MPI_INT));
  CHECK_MPI(MPI_File_write_at_all_end(file, &value, &status));
  CHECK(check_count(&status, MPI_INT) == 1);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_File file = check_open(MPI_COMM_WORLD, argv[1], MPI_INFO_NULL);
  all_four(file);
  by_the_host(file);
  CHECK_MPI(MPI_File_close(&file));
  return check_end();
}
