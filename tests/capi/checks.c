#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "checks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int failures = 0;
int rank = 0;
int ranks = 1;

static const char* scratch_directory = ".";

void check(int holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "rank %d: %s:%d: failed: %s\n", rank, file, line, what);
}

void check_equal(int64_t found, int64_t expected, const char* what, const char* file, int line) {
  if (found == expected) return;
  ++failures;
  fprintf(stderr, "rank %d: %s:%d: %s is %lld, not %lld\n", rank, file, line, what,
          (long long)found, (long long)expected);
}

void check_class(int found, int expected, headrace_file handle, const char* file, int line) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (found == expected) return;
  ++failures;
  MPI_Error_string(found, text, &length);
  fprintf(stderr, "rank %d: %s:%d: error class %d (%s), not %d: %s\n", rank, file, line, found,
          text, expected, headrace_error_message(handle));
}

const char* scratch_path(const char* name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", scratch_directory, name);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(path);
  MPI_Barrier(MPI_COMM_WORLD);
  return path;
}

static MPI_Info info_of(const char* const* hints) {
  MPI_Info info = MPI_INFO_NULL;
  if (hints == NULL) return info;
  MPI_Info_create(&info);
  for (; *hints != NULL; ++hints) {
    char key[64];
    const char* equals = strchr(*hints, '=');
    snprintf(key, sizeof key, "%.*s", (int)(equals - *hints), *hints);
    MPI_Info_set(info, key, equals + 1);
  }
  return info;
}

headrace_file open_scratch(const char* path, const char* const* hints) {
  headrace_file file = HEADRACE_FILE_NULL;
  MPI_Info info = info_of(hints);
  CHECK_CLASS(headrace_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
              MPI_SUCCESS, HEADRACE_FILE_NULL);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return file;
}

headrace_file reopen(const char* path, int amode) {
  headrace_file file = HEADRACE_FILE_NULL;
  CHECK_CLASS(headrace_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &file), MPI_SUCCESS,
              HEADRACE_FILE_NULL);
  return file;
}

void close_checked(headrace_file* file) {
  CHECK_CLASS(headrace_close(file), MPI_SUCCESS, HEADRACE_FILE_NULL);
  CHECK(*file == HEADRACE_FILE_NULL);
}

void read_plainly(const char* path, int64_t offset, void* bytes, size_t length) {
  const int fd = open(path, O_RDONLY);
  memset(bytes, 0, length);
  CHECK(fd >= 0 && pread(fd, bytes, length, (off_t)offset) >= 0);
  if (fd >= 0) close(fd);
}

int64_t size_plainly(const char* path) {
  struct stat found;
  return stat(path, &found) == 0 ? (int64_t)found.st_size : -1;
}

void fill_plainly(const char* path, int byte, size_t size) {
  FILE* stream = rank == 0 ? fopen(path, "wb") : NULL;
  size_t i;
  CHECK(rank != 0 || stream != NULL);
  for (i = 0; stream != NULL && i < size; ++i) fputc(byte, stream);
  if (stream != NULL) CHECK(fclose(stream) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

int64_t counter_in(const char* report, const char* name) {
  char key[64];
  const char* counters = strstr(report, "\"counters\":");
  const char* found;
  snprintf(key, sizeof key, "\"%s\":", name);
  found = counters == NULL ? NULL : strstr(counters, key);
  return found == NULL ? -1 : strtoll(found + strlen(key), NULL, 10);
}

static const char* after_json(const char* text);

static const char* after_string(const char* text) {
  for (++text; *text != '\0' && *text != '"'; ++text)
    if (*text == '\\') ++text;
  return *text == '"' ? text + 1 : NULL;
}

/* Elements, or keys and values, up to the closing bracket. */
static const char* after_elements(const char* text, char closing) {
  if (text[1] == closing) return text + 2;
  do {
    text = after_json(text + 1);
    if (text != NULL && closing == '}') text = *text == ':' ? after_json(text + 1) : NULL;
  } while (text != NULL && *text == ',');
  return text != NULL && *text == closing ? text + 1 : NULL;
}

/* Where a JSON value that has no white space ends, NULL if there is none. */
static const char* after_json(const char* text) {
  char* end;
  if (*text == '"') return after_string(text);
  if (*text == '{') return after_elements(text, '}');
  if (*text == '[') return after_elements(text, ']');
  strtod(text, &end);
  return end == text ? NULL : end;
}

int is_json(const char* text) {
  const char* end = after_json(text);
  return end != NULL && (*end == '\0' || strcmp(end, "\n") == 0);
}

unsigned char stream_byte(int of_rank, int64_t position) {
  return (unsigned char)(1 + (of_rank * 59 + position * 7 + position / 251) % 255);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1) scratch_directory = argv[1];
  test_round_trips();
  test_files();
  test_errors();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\n", failures == 0 ? "all checks passed" : "checks failed");
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
