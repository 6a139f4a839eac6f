/* The _c forms, of MPI 4. Served per rank: 8. */
#include "check.h"

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_File file = check_open(MPI_COMM_WORLD, argv[1], MPI_INFO_NULL);
  MPI_Status status;
  int out[4] = {check_rank, check_rank + 100, check_rank + 200, check_rank + 300};
  int in[4] = {-1, -1, -1, -1};
  MPI_Count got = -1;
  CHECK_MPI(MPI_File_set_view(file, 16 * check_rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_MPI(MPI_File_write_all_c(file, out, 1, MPI_INT, &status));
  CHECK_MPI(MPI_Get_count_c(&status, MPI_INT, &got));
  CHECK(got == 1);
  CHECK_MPI(MPI_File_write_at_all_c(file, 1, out + 1, 1, MPI_INT, &status));
  CHECK_MPI(MPI_File_write_at_all_begin_c(file, 2, out + 2, 1, MPI_INT));
  CHECK_MPI(MPI_File_write_at_all_end(file, out + 2, &status));
  CHECK_MPI(MPI_File_seek(file, 3, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_write_all_begin_c(file, out + 3, 1, MPI_INT));
  CHECK_MPI(MPI_File_write_all_end(file, out + 3, &status));
  CHECK_MPI(MPI_File_seek(file, 0, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_read_all_c(file, in, 1, MPI_INT, &status));
  CHECK_MPI(MPI_File_read_all_begin_c(file, in + 1, 1, MPI_INT));
  CHECK_MPI(MPI_File_read_all_end(file, in + 1, &status));
  CHECK_MPI(MPI_File_read_at_all_c(file, 2, in + 2, 1, MPI_INT, &status));
  CHECK_MPI(MPI_File_read_at_all_begin_c(file, 3, in + 3, 1, MPI_INT));
  CHECK_MPI(MPI_File_read_at_all_end(file, in + 3, &status));
  CHECK(memcmp(out, in, sizeof in) == 0);
  CHECK_MPI(MPI_File_close(&file));
  return check_end();
}
