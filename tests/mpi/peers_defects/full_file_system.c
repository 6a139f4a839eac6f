/* A file system that gets full in the middle of a collective write: one error for all, and after
 * making room the same open file works. Run where HEADRACE_TEST_DIR has room for 64 KiB. */
#include "support/mpi_program.h"

enum { piece = 1000 };

static void write_small_and_check(MPI_File file, const char* path) {
  char bytes[piece];
  memset(bytes, 'A' + rank, piece);
  REQUIRE(MPI_File_set_size(file, 0));
  REQUIRE(MPI_File_write_at_all(file, 0, bytes, piece, MPI_BYTE, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  char* all = malloc((size_t)ranks * piece + 1);
  const long size = load_file(path, all, (long)ranks * piece + 1);
  EXPECT(size == (long)ranks * piece, "the file has %ld bytes", size);
  for (long i = 0; i < size; ++i) {
    const char want = (char)('A' + i / 100 % ranks);
    EXPECT(all[i] == want, "offset %ld: expected %c, got %c", i, want, all[i]);
  }
  free(all);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, 60);
  const char* path = scratch("full_file_system");
  const int size = 256 << 10;
  char* bytes = calloc(1, (size_t)size);
  MPI_File file;
  MPI_Info info = hint("cb_buffer_size", "16384");
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
  MPI_Info_free(&info);
  set_interleaved_view(file, 100);
  const int code = MPI_File_write_at_all(file, 0, bytes, size, MPI_BYTE, MPI_STATUS_IGNORE);
  EXPECT(class_of(code) == MPI_ERR_NO_SPACE, "class %d, not MPI_ERR_NO_SPACE", class_of(code));
  EXPECT(same_on_all_ranks(class_of(code)), "ranks have different classes");
  write_small_and_check(file, path);
  REQUIRE(MPI_File_close(&file));
  free(bytes);
  return end();
}
