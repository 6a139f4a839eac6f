/* A collective read that meets the end of the file reports what each rank really got. OMPIO, and
 * ROMIO in Open MPI, report what was asked for. */
#include "support/mpi_program.h"

enum { size = 1000 };

static void read_and_check(MPI_File file, int offset, int length, int expected) {
  char bytes[512];
  memset(bytes, '?', sizeof bytes);
  MPI_Status status;
  REQUIRE(MPI_File_read_at_all(file, offset, bytes, length, MPI_BYTE, &status));
  int count = -1;
  REQUIRE(MPI_Get_count(&status, MPI_BYTE, &count));
  EXPECT(count == expected, "asked for %d: expected %d bytes, status says %d", length, expected,
         count);
  for (int i = 0; i < expected; ++i) EXPECT(bytes[i] == 'd', "byte %d is %d", i, bytes[i]);
  EXPECT(bytes[length] == '?', "a byte after the buffer was changed");
}

static int at_most(int value, int limit) {
  return value < limit ? value : limit;
}

int main(int argc, char** argv) {
  begin(&argc, &argv, 60);
  const char* path = scratch("read_past_end");
  make_file(path, size, 'd');
  MPI_File file;
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  const int start = size - 350 + rank * 200; /* a block each; the file ends in rank 1's */
  const int left = start < size ? size - start : 0;
  read_and_check(file, start, 200, at_most(left, 200));
  read_and_check(file, size + 10 + rank, 100, 0); /* all of it past the end */

  set_interleaved_view(file, 7); /* the file ends inside somebody's block */
  int available = 0;
  for (int i = 0; i < size; ++i) available += i / 7 % ranks == rank;
  read_and_check(file, available - 50, 100, 50);
  REQUIRE(MPI_File_close(&file));
  return end();
}
