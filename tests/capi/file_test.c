/* Opening, sizes, deleting, reporting, and one rank alone. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"

static const int64_t zero = 0;

static void test_alone(void) {
  const char* path = scratch_path("alone");
  const int64_t offsets[2] = {8 * (int64_t)rank, 8 * (int64_t)rank + 6}, lengths[2] = {4, 2};
  const int64_t total = 6;
  char received[6] = "", plain[8];
  int64_t done = -1;
  headrace_file file = open_scratch(path, NULL);
  CHECK_CLASS(headrace_write(file, 2, offsets, lengths, "abcdef", 1, &zero, &total, &done),
              MPI_SUCCESS, file);
  CHECK_EQUAL(done, 6);
  read_plainly(path, offsets[0], plain, sizeof plain);
  CHECK(memcmp(plain, "abcd\0\0ef", 8) == 0);
  CHECK_CLASS(headrace_sync(file), MPI_SUCCESS, file);
  CHECK_CLASS(headrace_read(file, 2, offsets, lengths, received, 1, &zero, &total, &done),
              MPI_SUCCESS, file);
  CHECK(done == 6 && memcmp(received, "abcdef", 6) == 0);
  /* What one rank wrote alone, all read together. */
  CHECK_CLASS(headrace_read_all(file, 2, offsets, lengths, received, 1, &zero, &total, &done),
              MPI_SUCCESS, file);
  CHECK(done == 6 && memcmp(received, "abcdef", 6) == 0);
  close_checked(&file);
}

static void test_reopening(void) {
  const char* path = scratch_path("again");
  const int64_t offset = 4 * (int64_t)rank, length = 4;
  char received[4] = "";
  int round;
  for (round = 0; round < 20; ++round) {
    headrace_file file = open_scratch(path, NULL);
    CHECK_CLASS(headrace_write_all(file, 1, &offset, &length, round % 2 ? "odd!" : "even", 1, &zero,
                                   &length, NULL),
                MPI_SUCCESS, file);
    close_checked(&file);
  }
  {
    headrace_file first = reopen(path, MPI_MODE_RDONLY);
    headrace_file second = reopen(path, MPI_MODE_RDWR);
    CHECK_CLASS(headrace_read_all(first, 1, &offset, &length, received, 1, &zero, &length, NULL),
                MPI_SUCCESS, first);
    CHECK(memcmp(received, "odd!", 4) == 0);
    CHECK_EQUAL(size_plainly(path), 4 * ranks);
    close_checked(&second);
    close_checked(&first);
  }
}

static void test_sizes(void) {
  const char* path = scratch_path("sized");
  const int64_t offset = 5, length = 4;
  const int64_t large = ((int64_t)5 << 30) + 1;
  int64_t size = -1;
  char received[4] = "";
  headrace_file file = open_scratch(path, NULL);
  CHECK_CLASS(headrace_set_size(file, large), MPI_SUCCESS, file);
  CHECK_CLASS(headrace_get_size(file, &size), MPI_SUCCESS, file);
  CHECK_EQUAL(size, large);
  CHECK_EQUAL(size_plainly(path), large);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_CLASS(headrace_set_size(file, 7), MPI_SUCCESS, file);
  CHECK_EQUAL(size_plainly(path), 7);
  CHECK_CLASS(headrace_read_all(file, 1, &offset, &length, received, 1, &zero, &length, &size),
              MPI_SUCCESS, file);
  CHECK_EQUAL(size, 2);
  CHECK_CLASS(headrace_set_size(file, -1), MPI_ERR_ARG, file);
  if (ranks > 1) CHECK_CLASS(headrace_set_size(file, 10 + rank), MPI_ERR_NOT_SAME, file);
  CHECK_EQUAL(size_plainly(path), 7);
  close_checked(&file);
}

static void test_deleting(void) {
  const char* path = scratch_path("deleted");
  headrace_file file =
      reopen(path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE);
  CHECK_EQUAL(size_plainly(path), 0);
  close_checked(&file);
  CHECK_EQUAL(size_plainly(path), -1);

  MPI_Barrier(MPI_COMM_WORLD);
  fill_plainly(path, 'x', 1);
  if (rank == 0) {
    CHECK_CLASS(headrace_delete(path), MPI_SUCCESS, HEADRACE_FILE_NULL);
    CHECK_EQUAL(size_plainly(path), -1);
    CHECK_CLASS(headrace_delete(path), MPI_ERR_NO_SUCH_FILE, HEADRACE_FILE_NULL);
    CHECK(strstr(headrace_error_message(HEADRACE_FILE_NULL), path) != NULL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* The line that closing adds to the file that HEADRACE_REPORT names says what headrace_report did.
 */
static void test_report_at_close(void) {
  const char* path = scratch_path("reported");
  const char* line_file = getenv("HEADRACE_REPORT");
  const int64_t offset = rank, length = 1;
  const char* report = "";
  char told[8192], line[8192] = "";
  headrace_file file = open_scratch(path, NULL);
  CHECK_CLASS(headrace_write_all(file, 1, &offset, &length, "r", 1, &zero, &length, NULL),
              MPI_SUCCESS, file);
  CHECK_CLASS(headrace_report(file, &report), MPI_SUCCESS, file);
  CHECK(is_json(report) && strlen(report) < sizeof told);
  strcpy(told, report);
  CHECK(strstr(told, "\"timers\":{\"write\":{\"ranks\":{\"agree\":{\"min\":") != NULL);
  CHECK(strstr(told, "\"read\":") == NULL);
  CHECK(line_file != NULL);
  if (line_file != NULL && rank == 0) unlink(line_file);
  close_checked(&file);
  if (line_file != NULL && rank == 0) {
    CHECK_EQUAL(size_plainly(line_file), (int64_t)strlen(told));
    read_plainly(line_file, 0, line, strlen(told));
    CHECK(strcmp(line, told) == 0);
  }
}

/* Files of parts of the ranks, open at the same time. */
static void test_other_communicators(void) {
  const char* path = scratch_path("everyone");
  const int64_t offset = rank, length = 1;
  char own[4096], byte = (char)('a' + rank % 26), found = 0;
  headrace_file all = open_scratch(path, NULL), mine = HEADRACE_FILE_NULL;
  strcpy(own, path);
  own[strlen(own) - 1] = byte;
  CHECK_CLASS(
      headrace_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                    MPI_INFO_NULL, &mine),
      MPI_SUCCESS, HEADRACE_FILE_NULL);
  CHECK_CLASS(headrace_write_all(mine, 1, &offset, &length, &byte, 1, &zero, &length, NULL),
              MPI_SUCCESS, mine);
  CHECK_CLASS(headrace_write_all(all, 1, &offset, &length, &byte, 1, &zero, &length, NULL),
              MPI_SUCCESS, all);
  read_plainly(own, offset, &found, 1);
  CHECK_EQUAL(found, byte);
  CHECK_EQUAL(size_plainly(path), ranks);
  close_checked(&mine);
  close_checked(&all);
}

void test_files(void) {
  CHECK(strcmp(headrace_version(), HEADRACE_VERSION) == 0);
  test_alone();
  test_reopening();
  test_sizes();
  test_deleting();
  test_report_at_close();
  test_other_communicators();
}
