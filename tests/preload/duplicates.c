/* Libraries duplicate the program's communicator for each file. What a file has left is found again
 * where the ranks are all ranks in their order, and nowhere else. At least three ranks. Served per
 * rank: 10, of which 8 by the plan of a call before: all reads, and writes but the first one of
 * each order. */
#include "check.h"

enum { blocks = 400 };

/* Blocks without a rule: the ranks of `comm` in turn, of 1 to 40 bytes. */
static void write_and_read(MPI_Comm comm, const char* path) {
  int rank, size, lengths[blocks], places[blocks], total = 0, at = 0;
  char out[blocks * 40], in[blocks * 40];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < blocks * size; ++i) {
    const int length = 1 + i * i % 40;
    if (i % size == rank) {
      lengths[i / size] = length;
      places[i / size] = at;
      total += length;
    }
    at += length;
  }
  memset(out, 'a' + rank, sizeof out);
  memset(in, 0, sizeof in);
  MPI_Datatype type;
  CHECK_MPI(MPI_Type_indexed(blocks, lengths, places, MPI_BYTE, &type));
  CHECK_MPI(MPI_Type_commit(&type));
  MPI_File file = check_open(comm, path, MPI_INFO_NULL);
  CHECK_MPI(MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL));
  CHECK_MPI(MPI_File_write_at_all(file, 0, out, total, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_read_at_all(file, 0, in, total, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(memcmp(in, out, (size_t)total) == 0);
  CHECK_MPI(MPI_File_close(&file));
  MPI_Type_free(&type);
}

/* A file of a communicator that is there for it only, as HDF5 and PnetCDF open it. */
static void on_a_duplicate(const char* path) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  write_and_read(comm, path);
  MPI_Comm_free(&comm);
}

static void in_order_of(const char* path, int key) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, key, &comm);
  write_and_read(comm, path);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  on_a_duplicate(argv[1]);
  in_order_of(argv[1], -check_rank);
  on_a_duplicate(argv[1]);
  in_order_of(argv[1], check_rank);
  write_and_read(MPI_COMM_WORLD, argv[1]);
  return check_end();
}
