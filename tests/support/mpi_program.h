/* For small MPI test programs in C: they note what is wrong and go on, and every rank exits with
 * the same verdict. Bytes are written by collective calls and looked at with POSIX ones. */
#ifndef HEADRACE_TESTS_MPI_PROGRAM_H
#define HEADRACE_TESTS_MPI_PROGRAM_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
static int failures;

/* Notes a failure if `holds` is 0. */
#define EXPECT(holds, ...)                                       \
  do {                                                           \
    if (!(holds)) note_failure(__FILE__, __LINE__, __VA_ARGS__); \
  } while (0)

/* For calls the test only prepares with. */
#define REQUIRE(call)                                                           \
  do {                                                                          \
    const int code_ = (call);                                                   \
    if (code_ != MPI_SUCCESS) {                                                 \
      note_failure(__FILE__, __LINE__, "%s: class %d", #call, class_of(code_)); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                             \
    }                                                                           \
  } while (0)

__attribute__((format(printf, 3, 4), unused)) static void note_failure(const char* file, int line,
                                                                       const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s:%d: rank %d: %s\n", file, line, rank, text);
  ++failures;
}

__attribute__((unused)) static int class_of(int code) {
  int error_class = MPI_ERR_UNKNOWN;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/* `seconds` is how long the whole program may take: a hang ends it. */
__attribute__((unused)) static void begin(int* argc, char*** argv, unsigned seconds) {
  alarm(seconds);
  if (MPI_Init(argc, argv) != MPI_SUCCESS) exit(2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/* What main() returns. */
__attribute__((unused)) static int end(void) {
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures > 0;
}

/* A file of this name in the directory the harness gives. */
__attribute__((unused)) static const char* scratch(const char* name) {
  static char path[4096];
  const char* directory = getenv("HEADRACE_TEST_DIR");
  snprintf(path, sizeof path, "%s/%s", directory != NULL ? directory : "/dev/shm", name);
  return path;
}

/* Whether all ranks have the same value. */
__attribute__((unused)) static int same_on_all_ranks(int value) {
  int bounds[2] = {value, -value};
  MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return bounds[0] == -bounds[1];
}

/* Rank 0 makes the file hold `size` bytes of `fill`; everybody waits for it. */
__attribute__((unused)) static void make_file(const char* path, long size, int fill) {
  if (rank == 0) {
    FILE* file = fopen(path, "wb");
    for (long i = 0; file != NULL && i < size; ++i) fputc(fill, file);
    if (file == NULL || fclose(file) != 0) {
      perror(path);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Up to `size` bytes of the file's start; returns how many. */
__attribute__((unused)) static long load_file(const char* path, void* bytes, long size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return -1;
  const long got = (long)fread(bytes, 1, (size_t)size, file);
  fclose(file);
  return got;
}

/* Rank r's view: blocks of `block` bytes, every `ranks * block`, from r * block on. */
__attribute__((unused)) static void set_interleaved_view(MPI_File file, int block) {
  MPI_Datatype one, filetype;
  REQUIRE(MPI_Type_contiguous(block, MPI_BYTE, &one));
  REQUIRE(MPI_Type_create_resized(one, 0, (MPI_Aint)block * ranks, &filetype));
  REQUIRE(MPI_Type_commit(&filetype));
  REQUIRE(MPI_File_set_view(file, (MPI_Offset)rank * block, MPI_BYTE, filetype, "native",
                            MPI_INFO_NULL));
  MPI_Type_free(&one);
  MPI_Type_free(&filetype);
}

/* A hint or two; the caller frees it. */
__attribute__((unused)) static MPI_Info hint(const char* key, const char* value) {
  MPI_Info info;
  REQUIRE(MPI_Info_create(&info));
  REQUIRE(MPI_Info_set(info, key, value));
  return info;
}

#endif
