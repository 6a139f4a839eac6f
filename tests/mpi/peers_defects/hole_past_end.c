/* Holes past the end of the file read as zeros. ROMIO writes stale bytes of its buffer there. */
#include "support/mpi_program.h"

enum { block = 16, stride = 64, blocks = 50, first = 8192 };

int main(int argc, char** argv) {
  begin(&argc, &argv, 60);
  const char* path = scratch("hole_past_end");
  make_file(path, 0, 0);
  MPI_File file;
  MPI_Info info = hint("cb_buffer_size", "4096");
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, info, &file));
  MPI_Info_free(&info);

  char bytes[first];
  memset(bytes, 0xab, sizeof bytes); /* fills collective buffers with what must not come back */
  REQUIRE(MPI_File_write_at_all(file, 0, bytes, first, MPI_BYTE, MPI_STATUS_IGNORE));

  MPI_Datatype filetype;
  REQUIRE(MPI_Type_vector(blocks, block, stride * ranks, MPI_BYTE, &filetype));
  REQUIRE(MPI_Type_commit(&filetype));
  REQUIRE(
      MPI_File_set_view(file, first + rank * stride, MPI_BYTE, filetype, "native", MPI_INFO_NULL));
  MPI_Type_free(&filetype);
  memset(bytes, 'x', sizeof bytes);
  REQUIRE(MPI_File_write_at_all(file, 0, bytes, block * blocks, MPI_BYTE, MPI_STATUS_IGNORE));
  REQUIRE(MPI_File_close(&file));
  MPI_Barrier(MPI_COMM_WORLD);

  const long expected_size = first + (long)stride * ranks * blocks - (stride - block);
  char* all = malloc((size_t)expected_size + 1);
  const long size = load_file(path, all, expected_size + 1);
  EXPECT(size == expected_size, "the file has %ld bytes, not %ld", size, expected_size);
  long wrong = 0;
  for (long i = first; i < size; ++i) {
    wrong += all[i] != ((i - first) % stride < block ? 'x' : 0);
  }
  EXPECT(wrong == 0, "%ld of %ld bytes are wrong", wrong, size - first);
  free(all);
  return end();
}
