/* Different files used by different threads at once. Served per rank: 2 threads x 50 writes. */
#include <pthread.h>

#include "check.h"

enum { calls = 50 };
static char paths[2][4096];
static MPI_Comm comms[2];

static void* use_a_file(void* argument) {
  const int which = *(int*)argument;
  MPI_File file;
  for (int i = 0; i < calls / 10; ++i) {
    CHECK_MPI(MPI_File_open(comms[which], paths[which], MPI_MODE_RDWR | MPI_MODE_CREATE,
                            MPI_INFO_NULL, &file));
    for (int j = 0; j < 10; ++j)
      CHECK_MPI(MPI_File_write_at_all(file, 4 * check_rank, &j, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_close(&file));
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0;
  int numbers[2] = {0, 1};
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  for (int i = 0; i < 2; ++i) {
    snprintf(paths[i], sizeof paths[i], "%s.%d", argv[1], i);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  }
  pthread_create(&thread, NULL, use_a_file, &numbers[1]);
  use_a_file(&numbers[0]);
  pthread_join(thread, NULL);
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&comms[i]);
  return check_end();
}
