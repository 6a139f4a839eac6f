/* More than 2 GiB: file offsets past 2^32, a datatype that spans more than memory has, and one call
 * that writes more than 2 GiB (ompi #14379, mpich #6121). */
#include <fcntl.h>

#include "support/mpi_program.h"

enum { chunk = 1 << 20, chunks = 1100 }; /* of one rank */

static void check_at(const char* path, long long offset, const char* want, int length) {
  char got[16] = "";
  const int descriptor = open(path, O_RDONLY);
  EXPECT(pread(descriptor, got, (size_t)length, offset) == length, "nothing at %lld", offset);
  EXPECT(memcmp(got, want, (size_t)length) == 0, "wrong bytes at %lld", offset);
  close(descriptor);
}

/* Eight bytes a rank at each of 3 places 3 GiB apart: a sparse file. */
static void write_far_apart(MPI_File file, const char* path) {
  const long long far = 3LL << 30;
  MPI_Datatype spread;
  REQUIRE(MPI_Type_create_hvector(3, 8, far, MPI_BYTE, &spread));
  REQUIRE(MPI_Type_commit(&spread));
  REQUIRE(MPI_File_set_view(file, rank * 8, MPI_BYTE, spread, "native", MPI_INFO_NULL));
  char bytes[25] = "firstoneseconds thirdone";
  REQUIRE(MPI_File_write_at_all(file, 0, bytes, 24, MPI_BYTE, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) check_at(path, i * far + rank * 8, bytes + i * 8L, 8);
  char back[24] = "";
  REQUIRE(MPI_File_read_at_all(file, 0, back, 24, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(memcmp(back, bytes, 24) == 0, "wrong bytes read");
  MPI_Type_free(&spread);
}

/* The same megabyte over and over: the file needs the room, the program does not. */
static void write_two_gigabytes(MPI_File file, const char* path) {
  char* bytes = malloc(chunk);
  memset(bytes, 'a' + rank, chunk);
  MPI_Datatype repeated;
  REQUIRE(MPI_Type_create_hvector(chunks * 2 / ranks, chunk, 0, MPI_BYTE, &repeated));
  REQUIRE(MPI_Type_commit(&repeated));
  set_interleaved_view(file, chunk);
  MPI_Status status;
  REQUIRE(MPI_File_write_at_all(file, 0, bytes, 1, repeated, &status));
  MPI_Count written = 0;
  REQUIRE(MPI_Get_elements_x(&status, MPI_BYTE, &written));
  const long long share = (long long)chunk * (chunks * 2 / ranks);
  EXPECT(written == share, "%lld bytes written, not %lld", (long long)written, share);
  MPI_Barrier(MPI_COMM_WORLD);
  check_at(path, (long long)chunk * rank, bytes, 8);
  check_at(path, share * ranks - (long long)chunk * (ranks - rank), bytes, 8);
  check_at(path, share * ranks - (long long)chunk * (ranks - rank - 1) - 8, bytes, 8);
  MPI_Type_free(&repeated);
  free(bytes);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, 120);
  const char* path = scratch("large_counts");
  make_file(path, 0, 0);
  MPI_File file;
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  write_far_apart(file, path);
  REQUIRE(MPI_File_set_size(file, 0));
  write_two_gigabytes(file, path);
  REQUIRE(MPI_File_close(&file));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(path);
  return end();
}
