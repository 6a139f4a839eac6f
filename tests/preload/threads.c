/* Different files used by different threads at once. Opens, first calls and closes are made by one
 * thread: they make communicators, and MPICH 4.0.2 alone hangs now and then when two threads do so
 * at once. Served per rank: 2 files x (1 + 50). */
#include <pthread.h>

#include "check.h"

enum { calls = 50 };
static MPI_File files[2];

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
  return check_end();
}
