/* Ranks overlap, so that the sum of their bytes is the size of what they span, and yet there is a
 * hole in it: its bytes must stay. OMPIO and GIO lose them. */
#include "support/mpi_program.h"

static void set_view_of(MPI_File file, int count, const int* lengths, const int* offsets) {
  MPI_Datatype filetype;
  REQUIRE(MPI_Type_indexed(count, lengths, offsets, MPI_BYTE, &filetype));
  REQUIRE(MPI_Type_commit(&filetype));
  REQUIRE(MPI_File_set_view(file, 0, MPI_BYTE, filetype, "native", MPI_INFO_NULL));
  MPI_Type_free(&filetype);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, 60);
  const char* path = scratch("overlap_hides_hole");
  make_file(path, 100, 'x');
  MPI_File file;
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  /* rank 0: [0,40); rank 1: [10,30) and [60,80); nobody: [40,60) */
  if (rank == 0) set_view_of(file, 1, (int[]){40}, (int[]){0});
  if (rank > 0) set_view_of(file, 2, (int[]){20, 20}, (int[]){10, 60});
  char bytes[40];
  memset(bytes, 'w', sizeof bytes);
  REQUIRE(MPI_File_write_at_all(file, 0, bytes, rank < 2 ? 40 : 0, MPI_BYTE, MPI_STATUS_IGNORE));
  REQUIRE(MPI_File_close(&file));
  MPI_Barrier(MPI_COMM_WORLD);
  char all[101];
  EXPECT(load_file(path, all, 101) == 100, "the file's size changed");
  for (int i = 0; i < 100; ++i) {
    const char want = i < 40 || (i >= 60 && i < 80) ? 'w' : 'x';
    EXPECT(all[i] == want, "offset %d: expected %c, got %c", i, want, all[i]);
  }
  return end();
}
