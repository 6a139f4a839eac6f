/* Nonblocking collectives: no host of Open MPI makes them well, so Headrace does there. Whoever
 * makes them, they wait for nobody, and what they did is what their requests tell. At least two
 * ranks. Served per rank: 4. */
#include "check.h"

enum { count = 100 };

static void fill(int* values, int version) {
  for (int i = 0; i < count; ++i) values[i] = version * 1000000 + check_rank * 1000 + i;
}

/* Blocks of ten ints of each rank in turn: few blocks, so that the host is given it. */
static void set_block_view(MPI_File file) {
  MPI_Datatype ten, type;
  CHECK_MPI(MPI_Type_contiguous(10, MPI_INT, &ten));
  CHECK_MPI(MPI_Type_create_resized(ten, 0, (MPI_Aint)sizeof(int) * 10 * check_size, &type));
  CHECK_MPI(MPI_Type_commit(&type));
  CHECK_MPI(MPI_File_set_view(file, (MPI_Offset)sizeof(int) * 10 * check_rank, MPI_INT, type,
                              "native", MPI_INFO_NULL));
  MPI_Type_free(&ten);
  MPI_Type_free(&type);
}

static void check_request(MPI_Request* request, int expected) {
  MPI_Status status;
  CHECK_MPI(MPI_Wait(request, &status));
  CHECK(check_count(&status, MPI_INT) == expected);
}

/* Each rank begins only after the one before it. At offsets of the default view. */
static void at_offsets(MPI_File file) {
  int out[count], in[count];
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Offset at = (MPI_Offset)sizeof out * check_rank;
  fill(out, 1);
  if (check_rank > 0)
    CHECK_MPI(MPI_Recv(NULL, 0, MPI_BYTE, check_rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_iwrite_at_all(file, at, out, count, MPI_INT, &request));
  if (check_rank + 1 < check_size)
    CHECK_MPI(MPI_Send(NULL, 0, MPI_BYTE, check_rank + 1, 0, MPI_COMM_WORLD));
  check_request(&request, count);
  CHECK(check_position(file) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_MPI(MPI_File_iread_at_all(file, at, in, count, MPI_INT, &request));
  check_request(&request, count);
  CHECK(memcmp(in, out, sizeof in) == 0);
}

/* With the individual file pointer, between collective calls that Headrace serves. */
static void with_the_pointer(MPI_File file, int version) {
  int out[count], in[count] = {0};
  MPI_Request request = MPI_REQUEST_NULL;
  fill(out, version);
  CHECK_MPI(MPI_File_seek(file, 0, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_iwrite_all(file, out, count / 2, MPI_INT, &request));
  check_request(&request, count / 2);
  CHECK_MPI(MPI_File_write_all(file, out + count / 2, count / 2, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_seek(file, 0, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_iread_all(file, in, count, MPI_INT, &request));
  check_request(&request, count);
  CHECK(memcmp(in, out, sizeof in) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Of an empty file, OMPIO's own reads never end; MPICH's tell of bytes that there are not. */
static void past_the_end(MPI_File file) {
  int in[count];
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_MPI(MPI_File_set_size(file, 0));
  CHECK_MPI(MPI_File_iread_at_all(file, 0, in, count, MPI_INT, &request));
#ifdef OPEN_MPI
  check_request(&request, 0);
#else
  CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
#endif
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Modes that Headrace serves no call in. What MPICH reads back in external32 is not what it wrote;
 * not every host has it. */
static void left_to_host(MPI_File file) {
  int out[count], in[count] = {0};
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_MPI(MPI_File_set_atomicity(file, 1));
  at_offsets(file);
  set_block_view(file);
  fill(out, 4);
  CHECK_MPI(MPI_File_iwrite_all(file, out, count, MPI_INT, &request));
  check_request(&request, count);
  CHECK(check_position(file) == count);
  CHECK_MPI(MPI_File_seek(file, 0, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_iread_all(file, in, count, MPI_INT, &request));
  check_request(&request, count);
  CHECK(memcmp(in, out, sizeof in) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_MPI(MPI_File_set_atomicity(file, 0));
#ifdef OPEN_MPI
  if (MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL) == MPI_SUCCESS)
    at_offsets(file);
#endif
}

static void all_of_it(const char* path) {
  MPI_File file = check_open(MPI_COMM_WORLD, path, MPI_INFO_NULL);
  past_the_end(file);
  at_offsets(file);
  set_block_view(file);
  with_the_pointer(file, 2);
  with_the_pointer(file, 3);
  past_the_end(file);
  CHECK_MPI(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  left_to_host(file);
  CHECK_MPI(MPI_File_close(&file));
}

/* The second file is opened by a program that is known to make them. */
int main(int argc, char** argv) {
  check_start(&argc, &argv);
  for (int turn = 0; turn < 2; ++turn) all_of_it(argv[1]);
  return check_end();
}
