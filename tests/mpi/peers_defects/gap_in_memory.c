/* A gap of 16 bytes between two large pieces of memory costs no more than no gap (mpich #6985). */
#include "support/mpi_program.h"

enum { piece = 4 << 20, gap = 16 };

static double timed_write(MPI_File file, const char* bytes, MPI_Datatype type) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  REQUIRE(MPI_File_write_at_all(file, 0, bytes, 1, type, MPI_STATUS_IGNORE));
  return MPI_Wtime() - start;
}

static char content(long i) {
  return (char)(i * 7 + i / 4099 + rank);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, 120);
  const char* path = scratch("gap_in_memory");
  make_file(path, 0, 0);
  MPI_Datatype whole, gapped;
  REQUIRE(MPI_Type_contiguous(2 * piece, MPI_BYTE, &whole));
  REQUIRE(MPI_Type_commit(&whole));
  REQUIRE(MPI_Type_vector(2, piece, piece + gap, MPI_BYTE, &gapped));
  REQUIRE(MPI_Type_commit(&gapped));
  char* bytes = malloc(2 * piece + gap);
  for (long i = 0; i < 2 * piece + gap; ++i) bytes[i] = content(i);

  MPI_File file;
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  set_interleaved_view(file, 1 << 20);
  timed_write(file, bytes, whole); /* makes the file's pages */
  const double without_gap = timed_write(file, bytes, whole);
  const double with_gap = timed_write(file, bytes, gapped);
  EXPECT(with_gap < 4 * without_gap + 0.3, "%.3f s with the gap, %.3f s without", with_gap,
         without_gap);
  REQUIRE(MPI_File_sync(file));
  char* back = malloc(2 * piece);
  REQUIRE(MPI_File_read_at_all(file, 0, back, 2 * piece, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(memcmp(back, bytes, piece) == 0, "the first piece is wrong");
  EXPECT(memcmp(back + piece, bytes + piece + gap, piece) == 0, "the second piece is wrong");
  REQUIRE(MPI_File_close(&file));
  MPI_Type_free(&whole);
  MPI_Type_free(&gapped);
  free(bytes);
  free(back);
  return end();
}
