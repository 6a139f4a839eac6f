/* A filetype of 10^9 blocks is not given to the host. What the program sees of the view and of the
 * file pointers is as ever; independent calls are served; what cannot be is an error with the
 * file's error handler, on every rank, and leaves the file usable. Two ranks. Served per rank: 6.
 */
#include "check.h"

static const int rows = 1000000000;

/* Rank r's column of an array of `rows` rows. */
static MPI_Datatype column(void) {
  const int sizes[2] = {rows, check_size}, part[2] = {rows, 1}, starts[2] = {0, check_rank};
  MPI_Datatype type;
  CHECK_MPI(MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_SHORT, &type));
  CHECK_MPI(MPI_Type_commit(&type));
  return type;
}

static void asks_about_the_view(MPI_File file) {
  MPI_Offset displacement = -1, byte = -1;
  MPI_Datatype etype, filetype;
  char representation[MPI_MAX_DATAREP_STRING];
  MPI_Count size = 0;
  int integers, addresses, types, combiner;
  CHECK_MPI(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
  CHECK(displacement == 10);
  CHECK(etype == MPI_SHORT);
  CHECK(strcmp(representation, "native") == 0);
  CHECK_MPI(MPI_Type_size_x(filetype, &size));
  CHECK(size == 2 * (MPI_Count)rows);
  CHECK_MPI(MPI_Type_get_envelope(filetype, &integers, &addresses, &types, &combiner));
  CHECK(combiner != MPI_COMBINER_NAMED);
  MPI_Type_free(&filetype);
  CHECK_MPI(MPI_File_get_byte_offset(file, 3, &byte));
  CHECK(byte == 10 + 2 * (3 * check_size + check_rank));
}

static void collective_calls(MPI_File file) {
  short out[4] = {1, 2, 3, 4}, in[4] = {0, 0, 0, 0};
  MPI_Status status;
  CHECK_MPI(MPI_File_write_all(file, out, 2, MPI_SHORT, &status));
  CHECK(check_count(&status, MPI_SHORT) == 2);
  CHECK(check_position(file) == 2);
  CHECK_MPI(MPI_File_write_all_begin(file, out + 2, 2, MPI_SHORT));
  CHECK_MPI(MPI_File_write_all_end(file, out + 2, &status));
  CHECK(check_position(file) == 4);
  CHECK_MPI(MPI_File_read_at_all(file, 0, in, 4, MPI_SHORT, &status));
  CHECK(memcmp(in, out, sizeof in) == 0);
}

static void independent_calls(MPI_File file) {
  short out[3] = {10, 11, 12}, in[5] = {0, 0, 0, 0, 0};
  const short expected[5] = {3, 10, 11, 12, 0};
  MPI_Status status;
  CHECK_MPI(MPI_File_seek(file, 3, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_write(file, out, 1, MPI_SHORT, &status));
  CHECK(check_position(file) == 4);
  CHECK_MPI(MPI_File_write_at(file, 4, out + 1, 2, MPI_SHORT, &status));
  CHECK(check_count(&status, MPI_SHORT) == 2);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_MPI(MPI_File_seek(file, 0, MPI_SEEK_END));
  CHECK(check_position(file) == 6);
  CHECK_MPI(MPI_File_seek(file, -4, MPI_SEEK_CUR));
  CHECK_MPI(MPI_File_read(file, in, 5, MPI_SHORT, &status));
  CHECK(check_count(&status, MPI_SHORT) == 4);
  CHECK(memcmp(in, expected, sizeof in) == 0);
  CHECK(check_position(file) == 7);
  CHECK_MPI(MPI_File_read_at(file, 5, in, 1, MPI_SHORT, MPI_STATUS_IGNORE));
  CHECK(in[0] == 12);
}

static void the_file_pointer_cannot_go_before_the_view(MPI_File file) {
  CHECK_MPI(MPI_File_seek(file, 3, MPI_SEEK_SET));
  CHECK(check_class(MPI_File_seek(file, -1, MPI_SEEK_SET)) == MPI_ERR_ARG);
  CHECK(check_class(MPI_File_seek(file, -4, MPI_SEEK_CUR)) == MPI_ERR_ARG);
  CHECK(MPI_File_seek(file, 0, 12345) != MPI_SUCCESS);
  CHECK(check_position(file) == 3);
}

static void nonblocking_calls(MPI_File file) {
  short out = 20, in = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  CHECK_MPI(MPI_File_iwrite_at(file, 6, &out, 1, MPI_SHORT, &request));
  CHECK_MPI(MPI_Wait(&request, &status));
  CHECK(check_count(&status, MPI_SHORT) == 1);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK_MPI(MPI_File_seek(file, 6, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_iread_all(file, &in, 1, MPI_SHORT, &request));
  CHECK_MPI(MPI_Wait(&request, &status));
  CHECK(check_count(&status, MPI_SHORT) == 1);
  CHECK(in == out);
  CHECK(check_position(file) == 7);
}

/* The ranks' views differ, which it should not be used with; so each reads its own. */
static void the_shared_file_pointer(MPI_File file) {
  const short expected[7] = {1, 2, 3, 10, 11, 12, 20};
  short in = 0;
  MPI_Offset position = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  for (int rank = 0; rank < 2 * check_size; ++rank) {
    if (rank == check_rank) {
      CHECK_MPI(MPI_File_read_shared(file, &in, 1, MPI_SHORT, MPI_STATUS_IGNORE));
    } else if (rank == check_size + check_rank) {
      CHECK_MPI(MPI_File_iread_shared(file, &in, 1, MPI_SHORT, &request));
      CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    if (rank % check_size == check_rank) CHECK(in == expected[rank]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  CHECK_MPI(MPI_File_read_ordered(file, &in, 1, MPI_SHORT, MPI_STATUS_IGNORE));
  CHECK(in == expected[2 * check_size + check_rank]);
  CHECK_MPI(MPI_File_get_position_shared(file, &position));
  CHECK(position == 3 * check_size);
  CHECK_MPI(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_write_ordered(file, &expected[check_rank], 1, MPI_SHORT, MPI_STATUS_IGNORE));
  CHECK(check_position(file) == 7);
}

static void what_cannot_be(MPI_File file) {
  short value = 5;
  MPI_Request request = MPI_REQUEST_NULL;
  const int unsupported = MPI_ERR_UNSUPPORTED_OPERATION;
  CHECK(check_class(MPI_File_iwrite_at(file, 0, &value, -1, MPI_SHORT, &request)) == MPI_ERR_ARG);
  CHECK(check_class(MPI_File_write_at(file, 0, &value, -1, MPI_SHORT, MPI_STATUS_IGNORE)) ==
        MPI_ERR_ARG);
  CHECK_MPI(MPI_File_set_atomicity(file, 1));
  CHECK(check_class(MPI_File_write_at_all(file, 0, &value, 1, MPI_SHORT, MPI_STATUS_IGNORE)) ==
        unsupported);
  CHECK_MPI(MPI_File_set_atomicity(file, 0));
  CHECK_MPI(MPI_File_write_at_all(file, 0, &value, 1, MPI_SHORT, MPI_STATUS_IGNORE));
}

/* With a view of no holes the host has everything again. */
static void an_ordinary_view_again(MPI_File file) {
  short in[7] = {0, 0, 0, 0, 0, 0, 0};
  const short expected[7] = {5, 2, 3, 10, 11, 12, 20};
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_MPI(MPI_File_set_view(file, 10, MPI_SHORT, MPI_SHORT, "native", MPI_INFO_NULL));
  for (int i = 0; i < 7; ++i) {
    CHECK_MPI(MPI_File_iread_at(file, i * check_size + check_rank, in + i, 1, MPI_SHORT, &request));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  CHECK(memcmp(in, expected, sizeof in) == 0);
}

/* Rank 0's view has too many blocks, those of others are for the host to judge, as their tiles
 * overlap. So all views are the host's, and with them the calls in atomic mode. */
static void one_rank_leaves_all_to_the_host(MPI_File file) {
  const int blocks = (1 << 22) + 1;
  short out = (short)(30 + check_rank), in = 0;
  MPI_Datatype pair, type;
  if (check_rank == 0) {
    CHECK_MPI(MPI_Type_vector(blocks, 1, 8, MPI_SHORT, &type));
  } else {
    CHECK_MPI(MPI_Type_contiguous(2, MPI_SHORT, &pair));
    CHECK_MPI(MPI_Type_create_resized(pair, 0, sizeof(short), &type));
    MPI_Type_free(&pair);
  }
  CHECK_MPI(MPI_Type_commit(&type));
  CHECK_MPI(MPI_File_set_view(file, 2 * check_rank, MPI_SHORT, type, "native", MPI_INFO_NULL));
  MPI_Type_free(&type);
  CHECK_MPI(MPI_File_set_atomicity(file, 1));
  CHECK_MPI(MPI_File_write_at_all(file, 0, &out, 1, MPI_SHORT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_set_atomicity(file, 0));
  CHECK_MPI(MPI_File_set_view(file, 0, MPI_SHORT, MPI_SHORT, "native", MPI_INFO_NULL));
  CHECK_MPI(MPI_File_read_at(file, check_rank, &in, 1, MPI_SHORT, MPI_STATUS_IGNORE));
  CHECK(in == out);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_File file = check_open(MPI_COMM_WORLD, argv[1], MPI_INFO_NULL);
  MPI_Datatype type = column();
  CHECK_MPI(MPI_File_set_view(file, 10, MPI_SHORT, type, "native", MPI_INFO_NULL));
  MPI_Type_free(&type);
  CHECK(check_position(file) == 0);
  asks_about_the_view(file);
  collective_calls(file);
  MPI_Barrier(MPI_COMM_WORLD);
  independent_calls(file);
  the_file_pointer_cannot_go_before_the_view(file);
  MPI_Barrier(MPI_COMM_WORLD);
  nonblocking_calls(file);
  MPI_Barrier(MPI_COMM_WORLD);
  the_shared_file_pointer(file);
  what_cannot_be(file);
  MPI_Barrier(MPI_COMM_WORLD);
  an_ordinary_view_again(file);
  MPI_Barrier(MPI_COMM_WORLD);
  one_rank_leaves_all_to_the_host(file);
  CHECK_MPI(MPI_File_close(&file));
  return check_end();
}
