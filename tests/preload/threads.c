/* Different files used by different threads at once, and one file by independent calls, through a
 * view that the host is not given before it needs it. Opens, first calls and closes are made by one
 * thread: they make communicators, and MPICH 4.0.2 alone hangs now and then when two threads do so
 * at once. Served per rank: 2 files x (1 + 50). */
#include <pthread.h>

#include "check.h"

enum { calls = 50, rows = 4000 };
static MPI_File files[2];
static MPI_File shared_file;

static void write_once(MPI_File file, int value) {
  CHECK_MPI(MPI_File_write_at_all(file, 4 * check_rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
}

static void* use_a_file(void* argument) {
  for (int i = 0; i < calls; ++i) write_once(*(MPI_File*)argument, i);
  return NULL;
}

static MPI_File open_numbered(const char* path, int number) {
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", path, number);
  MPI_File file = check_open(MPI_COMM_WORLD, name, MPI_INFO_NULL);
  write_once(file, 0);
  return file;
}

/* As many rows of this rank's column of an array as one thread has to write, in whatever place. */
static void* write_rows(void* start) {
  const int value = 7;
  pthread_barrier_wait(start);
  for (int i = 0; i < rows / 2; ++i)
    CHECK_MPI(MPI_File_write(shared_file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  return NULL;
}

static void one_file_of_both_threads(const char* path) {
  static int in[rows];
  int size = 0;
  pthread_t thread;
  pthread_barrier_t start;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int sizes[2] = {rows, size}, part[2] = {rows, 1}, starts[2] = {0, check_rank};
  MPI_Datatype column;
  CHECK_MPI(MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_INT, &column));
  CHECK_MPI(MPI_Type_commit(&column));
  shared_file = check_open(MPI_COMM_WORLD, path, MPI_INFO_NULL);
  CHECK_MPI(MPI_File_set_view(shared_file, 0, MPI_INT, column, "native", MPI_INFO_NULL));
  MPI_Type_free(&column);
  pthread_barrier_init(&start, NULL, 2);
  pthread_create(&thread, NULL, write_rows, &start);
  write_rows(&start);
  pthread_join(thread, NULL);
  pthread_barrier_destroy(&start);
  CHECK(check_position(shared_file) == rows);
  CHECK_MPI(MPI_File_read_at(shared_file, 0, in, rows, MPI_INT, MPI_STATUS_IGNORE));
  for (int row = 0; row < rows; ++row) CHECK(in[row] == 7);
  CHECK_MPI(MPI_File_close(&shared_file));
}

int main(int argc, char** argv) {
  int provided = 0;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  for (int i = 0; i < 2; ++i) files[i] = open_numbered(argv[1], i);
  pthread_create(&thread, NULL, use_a_file, &files[1]);
  use_a_file(&files[0]);
  pthread_join(thread, NULL);
  for (int i = 0; i < 2; ++i) CHECK_MPI(MPI_File_close(&files[i]));
  one_file_of_both_threads(argv[1]);
  return check_end();
}
