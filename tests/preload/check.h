/* What the C programs of these tests share. They link no Headrace: a library is preloaded. */
#ifndef HEADRACE_TESTS_PRELOAD_CHECK_H
#define HEADRACE_TESTS_PRELOAD_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures = 0;
static int check_rank = 0;
static int check_size = 1;

#define CHECK(condition)                                                                   \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      ++check_failures;                                                                    \
      fprintf(stderr, "rank %d: %s:%d: %s\n", check_rank, __FILE__, __LINE__, #condition); \
    }                                                                                      \
  } while (0)
#define CHECK_MPI(call) CHECK((call) == MPI_SUCCESS)

static inline void check_start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
}

/* What main returns: 0 if no check has failed on any rank. */
static inline int check_end(void) {
  MPI_Allreduce(MPI_IN_PLACE, &check_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return check_failures != 0;
}

/* A new, empty file of the communicator. */
static inline MPI_File check_open(MPI_Comm comm, const char* path, MPI_Info info) {
  MPI_File file = MPI_FILE_NULL;
  CHECK_MPI(MPI_File_open(comm, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file));
  CHECK_MPI(MPI_File_set_size(file, 0));
  return file;
}

static inline int check_count(MPI_Status* status, MPI_Datatype type) {
  int count = -1;
  MPI_Get_count(status, type, &count);
  return count;
}

static inline MPI_Offset check_position(MPI_File file) {
  MPI_Offset position = -1;
  MPI_File_get_position(file, &position);
  return position;
}

static inline int check_class(int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}

#endif
