/* Views of many blocks, other ones on each rank, are given to the host only when it needs them; so
 * are all views that differ once Headrace has served a collective call. The program must not
 * notice: neither where calls are the host's after all, nor by the file pointer, nor where
 * nonblocking collectives begin in whatever order. At least two ranks. Served per rank: 18; the
 * host's, per rank: 4. */
#include "check.h"

enum { rows = 1000 };

/* Whether each rank's part is of one block. */
static int is_slab = 0;

/* Rank `of`'s column of an array of `rows` rows, or its slab of one of `check_size` slabs. */
static void set_view(MPI_File file, int of) {
  const int sizes[2] = {rows, check_size}, part[2] = {rows, 1}, starts[2] = {0, of};
  MPI_Datatype type = MPI_SHORT;
  if (!is_slab) {
    CHECK_MPI(MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_SHORT, &type));
    CHECK_MPI(MPI_Type_commit(&type));
  }
  const MPI_Offset begin = 10 + (is_slab ? (MPI_Offset)sizeof(short) * rows * of : 0);
  CHECK_MPI(MPI_File_set_view(file, begin, MPI_SHORT, type, "native", MPI_INFO_NULL));
  if (!is_slab) MPI_Type_free(&type);
  CHECK(check_position(file) == 0);
}

/* Whose views are deferred: those of columns from the first one on, those of slabs once a
 * collective call has been served. */
static MPI_File open_deferring(const char* path) {
  MPI_File file = check_open(MPI_COMM_WORLD, path, MPI_INFO_NULL);
  short nothing = 0;
  if (is_slab) CHECK_MPI(MPI_File_write_at_all(file, 0, &nothing, 1, MPI_SHORT, MPI_STATUS_IGNORE));
  return file;
}

/* What this rank has in row `row` of the version-th contents of the file. */
static short value_in(int version, int row) {
  return (short)(version * 4000 + row * check_size + check_rank);
}

static void fill(short* column, int version) {
  for (int row = 0; row < rows; ++row) column[row] = value_in(version, row);
}

static void read_back(MPI_File file, int version) {
  short in[rows], expected[rows];
  MPI_Status status;
  fill(expected, version);
  CHECK_MPI(MPI_File_read_at_all(file, 0, in, rows, MPI_SHORT, &status));
  CHECK(check_count(&status, MPI_SHORT) == rows);
  CHECK(memcmp(in, expected, sizeof in) == 0);
}

/* The view that the program is shown is its own: set again, it is the same. */
static void the_view_can_be_asked_for(MPI_File file, int version) {
  MPI_Offset displacement = -1;
  MPI_Datatype etype, filetype;
  MPI_Count size = 0, lower = -1, extent = 0;
  char representation[MPI_MAX_DATAREP_STRING];
  set_view(file, check_rank);
  CHECK_MPI(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
  CHECK(etype == MPI_SHORT);
  CHECK(strcmp(representation, "native") == 0);
  CHECK_MPI(MPI_Type_size_x(filetype, &size));
  CHECK_MPI(MPI_Type_get_extent_x(filetype, &lower, &extent));
  CHECK(size == (MPI_Count)sizeof(short) * (is_slab ? 1 : rows));
  CHECK(lower == 0);
  CHECK(extent == (MPI_Count)sizeof(short) * (is_slab ? 1 : rows * check_size));
  CHECK_MPI(MPI_File_set_view(file, displacement, etype, filetype, representation, MPI_INFO_NULL));
  if (!is_slab) MPI_Type_free(&filetype);
  read_back(file, version);
}

/* The second half of the rows is written by the host. */
static void the_host_goes_on_where_headrace_was(MPI_File file, int version) {
  short out[rows];
  fill(out, version);
  set_view(file, check_rank);
  CHECK_MPI(MPI_File_write_all(file, out, rows / 2, MPI_SHORT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_set_atomicity(file, 1));
  CHECK(check_position(file) == rows / 2);
  CHECK_MPI(MPI_File_write_all(file, out + rows / 2, rows / 2, MPI_SHORT, MPI_STATUS_IGNORE));
  CHECK(check_position(file) == rows);
  CHECK_MPI(MPI_File_set_atomicity(file, 0));
  read_back(file, version);
}

/* The host makes its own error of it, as of any other view. */
static void errors_are_the_hosts(MPI_File file) {
  short value = 0;
  set_view(file, check_rank);
  CHECK(MPI_File_write_at_all(file, 0, &value, -1, MPI_SHORT, MPI_STATUS_IGNORE) != MPI_SUCCESS);
}

/* Rank 1 begins only after rank 0 has. */
static void nonblocking_collectives_wait_for_nobody(MPI_File file, int version) {
  short out[rows], in[rows];
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  fill(out, version);
  set_view(file, check_rank);
  if (check_rank > 0)
    CHECK_MPI(MPI_Recv(NULL, 0, MPI_BYTE, check_rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_iwrite_all(file, out, rows, MPI_SHORT, &request));
  if (check_rank + 1 < check_size)
    CHECK_MPI(MPI_Send(NULL, 0, MPI_BYTE, check_rank + 1, 0, MPI_COMM_WORLD));
  CHECK_MPI(MPI_Wait(&request, &status));
  CHECK(check_count(&status, MPI_SHORT) == rows);
  CHECK(check_position(file) == rows);
  CHECK_MPI(MPI_File_iread_at_all(file, 0, in, rows, MPI_SHORT, &request));
  CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(memcmp(in, out, sizeof in) == 0);
  read_back(file, version);
}

static void independent_calls(MPI_File file, int version) {
  short out[rows], in[rows];
  MPI_Request requests[2];
  MPI_Status statuses[2];
  fill(out, version);
  set_view(file, check_rank);
  CHECK_MPI(MPI_File_iwrite_at(file, 1, out + 1, rows - 1, MPI_SHORT, &requests[0]));
  CHECK_MPI(MPI_File_iwrite(file, out, 1, MPI_SHORT, &requests[1]));
  CHECK_MPI(MPI_Waitall(2, requests, statuses));
  CHECK(check_count(&statuses[0], MPI_SHORT) == rows - 1);
  CHECK(check_count(&statuses[1], MPI_SHORT) == 1);
  CHECK(check_position(file) == 1);
  CHECK_MPI(MPI_File_read_at(file, 0, in, rows, MPI_SHORT, &statuses[0]));
  CHECK(check_count(&statuses[0], MPI_SHORT) == rows);
  CHECK(memcmp(in, out, sizeof in) == 0);
  CHECK_MPI(MPI_File_iread_at(file, 0, in, 1, MPI_SHORT, &requests[0]));
  CHECK_MPI(MPI_Request_free(&requests[0]));
  MPI_Barrier(MPI_COMM_WORLD);
}

/* The shared file pointer asks for the same view on all ranks; such a view the host has at once. */
static void shared_file_pointer(MPI_File file) {
  short out = (short)check_rank, in[rows];
  long sum = 0, expected = 0;
  set_view(file, 0);
  CHECK_MPI(MPI_File_write_shared(file, &out, 1, MPI_SHORT, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_MPI(MPI_File_read_at(file, 0, in, check_size, MPI_SHORT, MPI_STATUS_IGNORE));
  for (int rank = 0; rank < check_size; ++rank) {
    sum += in[rank];
    expected += rank;
  }
  CHECK(sum == expected);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void all_of_it(const char* path) {
  MPI_File file = open_deferring(path);
  short out[rows];
  fill(out, 0);
  set_view(file, check_rank);
  CHECK_MPI(MPI_File_write_all(file, out, rows, MPI_SHORT, MPI_STATUS_IGNORE));
  read_back(file, 0);
  the_view_can_be_asked_for(file, 0);
  the_host_goes_on_where_headrace_was(file, 1);
  CHECK_MPI(MPI_File_close(&file));

  file = open_deferring(path);
  errors_are_the_hosts(file);
  CHECK_MPI(MPI_File_close(&file));

  file = open_deferring(path);
  nonblocking_collectives_wait_for_nobody(file, 2);
  CHECK_MPI(MPI_File_close(&file));

  file = open_deferring(path);
  independent_calls(file, 3);
  independent_calls(file, 4); /* by the host */
  set_view(file, check_rank);
  read_back(file, 4);
  shared_file_pointer(file);
  CHECK_MPI(MPI_File_close(&file));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  for (is_slab = 0; is_slab <= 1; ++is_slab) all_of_it(argv[1]);
  return check_end();
}
