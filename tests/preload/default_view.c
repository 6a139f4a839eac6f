/* Libraries go back to the view that files are opened with after each access. The host has not lost
 * it, where it was not given another, and then is not asked; but both file pointers are back at the
 * beginning. At least two ranks. Served per rank: 9. */
#include "check.h"

enum { rows = 1000 };

static void set_default_view(MPI_File file) {
  CHECK_MPI(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  CHECK(check_position(file) == 0);
}

/* This rank's column of an array of `rows` rows. */
static void set_column_view(MPI_File file, MPI_Info info) {
  const int sizes[2] = {rows, check_size}, part[2] = {rows, 1}, starts[2] = {0, check_rank};
  MPI_Datatype type;
  CHECK_MPI(MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_CHAR, &type));
  CHECK_MPI(MPI_Type_commit(&type));
  CHECK_MPI(MPI_File_set_view(file, 0, MPI_CHAR, type, "native", info));
  CHECK(check_position(file) == 0);
  MPI_Type_free(&type);
}

static char value_in(int version, int row) {
  return (char)('a' + (version * 7 + row * 5 + check_rank) % 26);
}

/* As HDF5 does for each dataset; the file pointer is moved in both views. */
static void writes_as_a_library(MPI_File file, int version, MPI_Info info) {
  char out[rows], in[rows];
  for (int row = 0; row < rows; ++row) out[row] = value_in(version, row);
  set_column_view(file, info);
  CHECK_MPI(MPI_File_write_all(file, out, rows, MPI_CHAR, MPI_STATUS_IGNORE));
  CHECK(check_position(file) == rows);
  set_default_view(file);
  for (int row = 0; row < rows; ++row) {
    CHECK_MPI(MPI_File_seek(file, (MPI_Offset)row * check_size + check_rank, MPI_SEEK_SET));
    CHECK_MPI(MPI_File_read(file, in + row, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  }
  CHECK(memcmp(in, out, rows) == 0);
  CHECK(check_position(file) == (MPI_Offset)(rows - 1) * check_size + check_rank + 1);
  set_default_view(file);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* One rank alone has moved the shared file pointer. */
static void the_shared_pointer_goes_back(MPI_File file) {
  char in[2] = {0, 0}, before = 0;
  CHECK_MPI(MPI_File_read_at(file, 1, &before, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  for (int turn = 0; turn < 2; ++turn) {
    set_default_view(file);
    const char out = (char)('0' + turn);
    if (check_rank == 1)
      CHECK_MPI(MPI_File_write_shared(file, &out, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  CHECK_MPI(MPI_File_read_at(file, 0, in, 2, MPI_CHAR, MPI_STATUS_IGNORE));
  CHECK(in[0] == '1');
  CHECK(in[1] == before);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* The host has had another representation, and would keep it. */
static void the_representation_goes_back(MPI_File file) {
  const int out = 0x01020304 + check_rank;
  int in = 0;
  if (MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL) != MPI_SUCCESS)
    return; /* not every host has it */
  set_default_view(file);
  const MPI_Offset at = (MPI_Offset)sizeof out * check_rank;
  CHECK_MPI(MPI_File_write_at(file, at, &out, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_read_at_all(file, at, &in, sizeof in, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(in == out);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Info info;
  CHECK_MPI(MPI_Info_create(&info));
  CHECK_MPI(MPI_Info_set(info, "cb_buffer_size", "1048576"));
  MPI_File file = check_open(MPI_COMM_WORLD, argv[1], MPI_INFO_NULL);
  for (int version = 0; version < 8; ++version)
    writes_as_a_library(file, version, version % 3 == 1 ? info : MPI_INFO_NULL);
  the_shared_pointer_goes_back(file);
  the_representation_goes_back(file);
  CHECK_MPI(MPI_File_close(&file));
  MPI_Info_free(&info);
  return check_end();
}
