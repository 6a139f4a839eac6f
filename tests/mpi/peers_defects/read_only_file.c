/* A collective write to a file opened for reading ends as the host has it (OMPIO: success, others:
 * an error), the same on every rank, and changes nothing; reading goes on working. */
#include "support/mpi_program.h"

/* Left behind for the harness, which compares it with what the host alone does. */
static void record_class(int error_class) {
  FILE* record = fopen(scratch("error_class"), "w");
  EXPECT(record != NULL && fprintf(record, "%d\n", error_class) > 0, "no record");
  if (record != NULL) fclose(record);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, 60);
  const char* path = scratch("read_only_file");
  make_file(path, 1000, 'r');
  MPI_File file;
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  set_interleaved_view(file, 10);
  char bytes[10] = "";
  const int code = MPI_File_write_at_all(file, 0, bytes, 10, MPI_BYTE, MPI_STATUS_IGNORE);
  EXPECT(same_on_all_ranks(class_of(code)), "ranks have different classes");
  REQUIRE(MPI_File_read_at_all(file, 0, bytes, 10, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(memcmp(bytes, "rrrrrrrrrr", 10) == 0, "wrong bytes");
  REQUIRE(MPI_File_close(&file));
  if (rank == 0) record_class(class_of(code));
  return end();
}
