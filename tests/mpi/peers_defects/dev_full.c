/* /dev/full: every rank gets the same error, nobody waits for ever, and the file stays usable.
 * ROMIO and OMPIO leave ranks behind. */
#include "support/mpi_program.h"

int main(int argc, char** argv) {
  begin(&argc, &argv, 60);
  MPI_File file;
  MPI_Info info = hint("cb_buffer_size", "4096");
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_RDWR, info, &file));
  MPI_Info_free(&info);
  set_interleaved_view(file, 100);
  char bytes[20000];
  memset(bytes, 'a' + rank, sizeof bytes);
  const double start = MPI_Wtime();
  const int code = MPI_File_write_at_all(file, 0, bytes, sizeof bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  const int error_class = class_of(code);
  EXPECT(error_class == MPI_ERR_NO_SPACE, "class %d, not MPI_ERR_NO_SPACE", error_class);
  EXPECT(same_on_all_ranks(error_class), "ranks have different classes, here %d", error_class);
  EXPECT(MPI_Wtime() - start < 10, "it took %.1f s", MPI_Wtime() - start);
  REQUIRE(MPI_File_write_at_all(file, 0, bytes, 0, MPI_BYTE, MPI_STATUS_IGNORE));
  REQUIRE(MPI_File_close(&file));
  return end();
}
