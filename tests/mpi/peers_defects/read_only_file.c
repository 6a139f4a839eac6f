/* Writing to a file opened for reading is the same error on every rank; reading goes on working. */
#include "support/mpi_program.h"

int main(int argc, char** argv) {
  begin(&argc, &argv, 60);
  const char* path = scratch("read_only_file");
  make_file(path, 1000, 'r');
  MPI_File file;
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  set_interleaved_view(file, 10);
  char bytes[10] = "";
  const int code = MPI_File_write_at_all(file, 0, bytes, 10, MPI_BYTE, MPI_STATUS_IGNORE);
  EXPECT(class_of(code) == MPI_ERR_READ_ONLY || class_of(code) == MPI_ERR_ACCESS, "class %d",
         class_of(code));
  EXPECT(same_on_all_ranks(class_of(code)), "ranks have different classes");
  REQUIRE(MPI_File_read_at_all(file, 0, bytes, 10, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(memcmp(bytes, "rrrrrrrrrr", 10) == 0, "wrong bytes");
  REQUIRE(MPI_File_close(&file));
  return end();
}
