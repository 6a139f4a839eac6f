/* Collective I/O on lists with Headrace's C API: no datatypes, no file views.
 *
 * A matrix of doubles lies in a file row by row. It is cut into blocks of columns, one for every
 * rank: a rank's part is one short request per row, the worst case of parallel I/O. All ranks write
 * their columns in one collective call, then read those of their right-hand neighbour.
 *
 *   mpicc list_io.c -lheadrace-openmpi -o list_io && mpirun -n 4 ./list_io matrix.bin
 */
#include <headrace/headrace.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 1000, columns_per_rank = 4 };

static void stop_on_error(int error_class, headrace_file file, const char* what) {
  if (error_class == MPI_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", what, headrace_error_message(file));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The requests of the columns of `owner`: one for each row, in ascending order as Headrace asks. */
static void list_columns(int owner, int ranks, int64_t* offsets, int64_t* lengths) {
  const int64_t row_bytes = (int64_t)ranks * columns_per_rank * (int64_t)sizeof(double);
  int64_t row;
  for (row = 0; row < rows; ++row) {
    offsets[row] = row * row_bytes + owner * columns_per_rank * (int64_t)sizeof(double);
    lengths[row] = columns_per_rank * (int64_t)sizeof(double);
  }
}

static double element(int owner, int index) {
  return owner * 1e6 + index;
}

int main(int argc, char** argv) {
  static int64_t offsets[rows], lengths[rows];
  static double columns[rows * columns_per_rank];
  /* The columns lie one after another in memory: one piece. */
  const int64_t start = 0, bytes = sizeof columns;
  int rank, ranks, neighbour, index, wrong = 0;
  int64_t done = 0;
  const char* report;
  headrace_file file;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2) {
    if (rank == 0) fprintf(stderr, "usage: %s FILE\n", argv[0]);
    MPI_Finalize();
    return 2;
  }

  stop_on_error(
      headrace_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
      HEADRACE_FILE_NULL, "open");

  for (index = 0; index < rows * columns_per_rank; ++index) columns[index] = element(rank, index);
  list_columns(rank, ranks, offsets, lengths);
  stop_on_error(headrace_write_all(file, rows, offsets, lengths, columns, 1, &start, &bytes, NULL),
                file, "write");

  neighbour = (rank + 1) % ranks;
  list_columns(neighbour, ranks, offsets, lengths);
  stop_on_error(headrace_read_all(file, rows, offsets, lengths, columns, 1, &start, &bytes, &done),
                file, "read");
  for (index = 0; index < rows * columns_per_rank; ++index)
    wrong += columns[index] != element(neighbour, index);
  if (done != bytes || wrong > 0) {
    fprintf(stderr, "rank %d: %d wrong numbers\n", rank, wrong);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  /* What Headrace did: how many requests it made of how many, by which method. */
  stop_on_error(headrace_report(file, &report), file, "report");
  if (rank == 0) printf("%s", report);
  stop_on_error(headrace_close(&file), HEADRACE_FILE_NULL, "close");
  MPI_Finalize();
  return 0;
}
