/* The shared file pointer is one for all ranks, in etypes of the view; a view begins with it at
 * zero. Calls in rank order are collective calls that Headrace serves. Served per rank: 7. */
#include "check.h"

enum { records = 50, length = 3 };

static MPI_Offset shared_position(MPI_File file) {
  MPI_Offset position = -1;
  CHECK_MPI(MPI_File_get_position_shared(file, &position));
  return position;
}

static void set_int_view(MPI_File file, MPI_Offset displacement) {
  CHECK_MPI(MPI_File_set_view(file, displacement, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
}

/* Whoever comes first: but no record is lost, and none is torn. */
static void records_of_all_in_any_order(MPI_File file) {
  int in[length], found = 0;
  char* seen = calloc((size_t)check_size * records, 1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  set_int_view(file, 0);
  for (int record = 0; record < records; ++record) {
    const int number = check_rank * records + record, out[length] = {number, -number, number};
    if (record % 2 == 0) {
      CHECK_MPI(MPI_File_write_shared(file, out, length, MPI_INT, &status));
    } else {
      CHECK_MPI(MPI_File_iwrite_shared(file, out, length, MPI_INT, &request));
      CHECK_MPI(MPI_Wait(&request, &status));
    }
    CHECK(check_count(&status, MPI_INT) == length);
  }
  CHECK(check_position(file) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(shared_position(file) == (MPI_Offset)length * check_size * records);
  for (int record = 0; record < check_size * records; ++record) {
    CHECK_MPI(MPI_File_read_at(file, (MPI_Offset)length * record, in, length, MPI_INT, &status));
    CHECK(check_count(&status, MPI_INT) == length);
    CHECK(in[0] >= 0 && in[0] < check_size * records && in[1] == -in[0] && in[2] == in[0]);
    if (in[0] >= 0 && in[0] < check_size * records && !seen[in[0]]) seen[in[0]] = 1, ++found;
  }
  CHECK(found == check_size * records);
  free(seen);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank r has r + 1 ints, the last one of all none. */
static void in_rank_order(MPI_File file) {
  const int count = check_rank + 1 < check_size ? check_rank + 1 : 0;
  const MPI_Offset before = (MPI_Offset)check_rank * (check_rank + 1) / 2;
  const MPI_Offset all = (MPI_Offset)check_size * (check_size - 1) / 2;
  int out[64], in[64];
  MPI_Status status;
  set_int_view(file, 40);
  CHECK(shared_position(file) == 0);
  for (int i = 0; i < count; ++i) out[i] = 1000 * check_rank + i;
  CHECK_MPI(MPI_File_write_ordered(file, out, count, MPI_INT, &status));
  CHECK(check_count(&status, MPI_INT) == count);
  CHECK(shared_position(file) == all);
  CHECK_MPI(MPI_File_write_ordered_begin(file, out, count, MPI_INT));
  CHECK_MPI(MPI_File_write_ordered_end(file, out, &status));
  CHECK(check_count(&status, MPI_INT) == count);
  CHECK(shared_position(file) == 2 * all);
  CHECK(check_position(file) == 0);
  for (int half = 0; half < 2; ++half) {
    CHECK_MPI(MPI_File_read_at_all(file, half * all + before, in, count, MPI_INT, &status));
    CHECK(memcmp(in, out, sizeof(int) * (size_t)count) == 0);
  }
  CHECK_MPI(MPI_File_seek_shared(file, -all, MPI_SEEK_CUR));
  CHECK_MPI(MPI_File_read_ordered(file, in, count, MPI_INT, &status));
  CHECK(memcmp(in, out, sizeof(int) * (size_t)count) == 0);
  CHECK(shared_position(file) == 2 * all);
  CHECK_MPI(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_read_ordered_begin(file, in, count, MPI_INT));
  CHECK_MPI(MPI_File_read_ordered_end(file, in, &status));
  CHECK(memcmp(in, out, sizeof(int) * (size_t)count) == 0);
}

static void to_the_end(MPI_File file) {
  const int out = 7;
  set_int_view(file, 0);
  CHECK_MPI(MPI_File_set_size(file, 400));
  CHECK_MPI(MPI_File_seek_shared(file, -1, MPI_SEEK_END));
  CHECK(shared_position(file) == 99);
  CHECK(MPI_File_seek_shared(file, -1, MPI_SEEK_SET) != MPI_SUCCESS);
  CHECK(shared_position(file) == 99);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check_rank == 0) CHECK_MPI(MPI_File_write_shared(file, &out, 1, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(shared_position(file) == 100);
}

/* What is not valid moves nothing. */
static void errors(MPI_File file) {
  const MPI_Offset before = shared_position(file);
  const int out = 7;
  CHECK(MPI_File_write_shared(file, &out, -1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(shared_position(file) == before);
}

static void appending(const char* path) {
  MPI_File file;
  char in = 0;
  const char out = (char)('a' + check_rank);
  CHECK_MPI(
      MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_APPEND, MPI_INFO_NULL, &file));
  CHECK(check_position(file) == 400);
  CHECK(shared_position(file) == 400);
  CHECK_MPI(MPI_File_write_ordered(file, &out, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_read_at(file, 400 + check_rank, &in, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  CHECK(in == out);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(shared_position(file) == 400 + check_size);
  CHECK_MPI(MPI_File_close(&file));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_File file = check_open(MPI_COMM_WORLD, argv[1], MPI_INFO_NULL);
  records_of_all_in_any_order(file);
  in_rank_order(file);
  to_the_end(file);
  errors(file);
  CHECK_MPI(MPI_File_close(&file));
  appending(argv[1]);
  return check_end();
}
