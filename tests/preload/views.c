/* Views, the individual file pointer, statuses, and collective calls mixed with independent ones.
 * Served collective calls per rank: 7. */
#include "check.h"

enum { block = 4, blocks = 5, count = block * blocks };

/* Rank r's ints go to every check_size-th block of 4. */
static MPI_Datatype interleaved(void) {
  MPI_Datatype blocks_type, type;
  MPI_Type_vector(blocks, block, block * check_size, MPI_INT, &blocks_type);
  MPI_Type_create_resized(blocks_type, 0, sizeof(int) * block * check_size * blocks, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&blocks_type);
  return type;
}

static void write_and_read_interleaved(MPI_File file) {
  MPI_Datatype type = interleaved();
  MPI_Status status;
  int out[2 * count], in[2 * count];
  for (int i = 0; i < 2 * count; ++i) out[i] = check_rank * 1000 + i;
  memset(in, -1, sizeof in);
  CHECK_MPI(MPI_File_set_view(file, 16 + check_rank * block * sizeof(int), MPI_INT, type, "native",
                              MPI_INFO_NULL));
  CHECK(check_position(file) == 0);
  CHECK_MPI(MPI_File_write_all(file, out, count, MPI_INT, &status));
  CHECK(check_count(&status, MPI_INT) == count);
  CHECK(check_position(file) == count);
  CHECK_MPI(MPI_File_write_all(file, out + count, count, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(check_position(file) == 2 * count);
  CHECK_MPI(MPI_File_read_at_all(file, 0, in, 2 * count, MPI_INT, &status));
  CHECK(check_count(&status, MPI_INT) == 2 * count);
  CHECK(check_position(file) == 2 * count); /* explicit offsets do not move it */
  CHECK(memcmp(out, in, sizeof out) == 0);
  MPI_Type_free(&type);
}

/* The file must be as every rank's view says, seen as plain ints. */
static void check_file(MPI_File file) {
  CHECK_MPI(MPI_File_set_view(file, 16, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  for (int i = 0; i < 2 * count * check_size; ++i) {
    const int owner = i / block % check_size;
    const int row = i / (block * check_size);
    int value = -1;
    CHECK_MPI(MPI_File_read_at(file, i, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(value == owner * 1000 + row * block + i % block);
  }
}

/* The host's handle keeps pointer and view, so either kind of call continues the other. */
static void mix_with_independent(MPI_File file) {
  int values[3] = {check_rank, check_rank + 10, check_rank + 20};
  int in[3] = {-1, -1, -1};
  CHECK_MPI(MPI_File_set_view(file, check_rank * 12, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_MPI(MPI_File_write(file, values, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_write_all(file, values + 1, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_write(file, values + 2, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(check_position(file) == 3);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_MPI(MPI_File_seek(file, 1, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_read_all(file, in + 1, 2, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_seek(file, 0, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_read(file, in, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(memcmp(values, in, sizeof in) == 0);
}

/* Reads at the end of the file tell what they got, and move the pointer by what was asked for. */
static void read_past_end(MPI_File file) {
  MPI_Status status;
  int in[8];
  MPI_Offset bytes = 0;
  CHECK_MPI(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_MPI(MPI_File_get_size(file, &bytes));
  CHECK_MPI(MPI_File_seek(file, bytes / 4 - 3, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_read_all(file, in, 8, MPI_INT, &status));
  CHECK(check_count(&status, MPI_INT) == 3);
  CHECK(check_count(&status, MPI_DOUBLE) == MPI_UNDEFINED);
  CHECK(check_position(file) == bytes / 4 + 5);
  CHECK_MPI(MPI_File_read_at_all(file, bytes, in, 8, MPI_INT, &status));
  CHECK(check_count(&status, MPI_INT) == 0);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_File file = check_open(MPI_COMM_WORLD, argv[1], MPI_INFO_NULL);
  write_and_read_interleaved(file);
  MPI_Barrier(MPI_COMM_WORLD);
  check_file(file);
  MPI_Barrier(MPI_COMM_WORLD);
  mix_with_independent(file);
  MPI_Barrier(MPI_COMM_WORLD);
  read_past_end(file);
  CHECK_MPI(MPI_File_close(&file));
  CHECK(file == MPI_FILE_NULL);
  return check_end();
}
