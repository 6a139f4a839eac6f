/* Opening a missing file gives the host's own error on every rank. GIO crashes. */
#include "support/mpi_program.h"

int main(int argc, char** argv) {
  begin(&argc, &argv, 60);
  MPI_File file = MPI_FILE_NULL;
  for (int i = 0; i < 3; ++i) {
    const int code =
        MPI_File_open(MPI_COMM_WORLD, scratch("no/such/file"), MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    EXPECT(class_of(code) == MPI_ERR_NO_SUCH_FILE, "class %d", class_of(code));
    EXPECT(same_on_all_ranks(class_of(code)), "ranks have different classes");
  }
  return end();
}
