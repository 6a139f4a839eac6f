/* Legal views that hosts err with: a negative lower bound, a lower bound that is not the first byte
 * of data. The host's independent calls, pointer and byte offsets agree with Headrace's collective
 * calls, and get_view gives back what was set. Served per rank: 4. */
#include "check.h"

/* A byte at `place` of every `extent` bytes, with the lower bound `lower`. */
static MPI_Datatype one_byte(MPI_Aint place, MPI_Aint lower, MPI_Aint extent) {
  const int length = 1;
  MPI_Datatype moved, type;
  CHECK_MPI(MPI_Type_create_hindexed(1, &length, &place, MPI_BYTE, &moved));
  CHECK_MPI(MPI_Type_create_resized(moved, lower, extent, &type));
  CHECK_MPI(MPI_Type_commit(&type));
  MPI_Type_free(&moved);
  return type;
}

static void check_get_view(MPI_File file, MPI_Offset displacement, MPI_Aint lower) {
  MPI_Offset got = -1;
  MPI_Datatype etype, filetype;
  MPI_Aint lb = 0, extent = 0;
  char representation[MPI_MAX_DATAREP_STRING];
  CHECK_MPI(MPI_File_get_view(file, &got, &etype, &filetype, representation));
  CHECK_MPI(MPI_Type_get_extent(filetype, &lb, &extent));
  CHECK(got == displacement);
  CHECK(etype == MPI_BYTE);
  CHECK(lb == lower);
  MPI_Type_free(&filetype);
}

static void use(MPI_File file, MPI_Offset displacement, MPI_Aint place, MPI_Aint lower) {
  const MPI_Aint extent = 2 * check_size;
  MPI_Datatype type = one_byte(place, lower, extent);
  char out[3] = {'a', 'b', 'c'}, in[3] = {0, 0, 0};
  MPI_Offset byte = -1;
  CHECK_MPI(
      MPI_File_set_view(file, displacement + check_rank, MPI_BYTE, type, "native", MPI_INFO_NULL));
  MPI_Type_free(&type);
  check_get_view(file, displacement + check_rank, lower);
  CHECK(check_position(file) == 0);
  CHECK_MPI(MPI_File_get_byte_offset(file, 2, &byte));
  CHECK(byte == displacement + check_rank + place + 2 * extent);
  CHECK_MPI(MPI_File_write_all(file, out, 2, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(check_position(file) == 2);
  CHECK_MPI(MPI_File_write(file, out + 2, 1, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(check_position(file) == 3);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_MPI(MPI_File_seek(file, 0, MPI_SEEK_SET));
  CHECK_MPI(MPI_File_read(file, in, 1, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_read_all(file, in + 1, 2, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(memcmp(out, in, sizeof in) == 0);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_File file = check_open(MPI_COMM_WORLD, argv[1], MPI_INFO_NULL);
  use(file, 10, 0, -5);
  use(file, 10, 7, 4);
  CHECK_MPI(MPI_File_close(&file));
  return check_end();
}
