/* Errors: the same class on every rank, nothing moved, nobody left waiting, the file still usable.
 */
#include <string.h>

#include "checks.h"

static const int64_t zero = 0;
static const int64_t eight = 8;

static void expect_open_fails(const char* path, int amode, int error_class) {
  headrace_file file = HEADRACE_FILE_NULL;
  CHECK_CLASS(headrace_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &file), error_class,
              HEADRACE_FILE_NULL);
  CHECK(file == HEADRACE_FILE_NULL);
  CHECK(strlen(headrace_error_message(HEADRACE_FILE_NULL)) > 0);
}

static void test_open_errors(void) {
  const char* path = scratch_path("missing");
  const int create = MPI_MODE_CREATE | MPI_MODE_RDWR;
  headrace_file file;
  expect_open_fails(path, MPI_MODE_RDONLY, MPI_ERR_NO_SUCH_FILE);
  expect_open_fails(path, MPI_MODE_RDWR, MPI_ERR_NO_SUCH_FILE);
  CHECK(strstr(headrace_error_message(HEADRACE_FILE_NULL), path) != NULL);
  expect_open_fails(path, MPI_MODE_CREATE, MPI_ERR_AMODE);
  expect_open_fails(path, MPI_MODE_CREATE | MPI_MODE_RDONLY, MPI_ERR_AMODE);
  expect_open_fails(path, create | MPI_MODE_SEQUENTIAL, MPI_ERR_AMODE);
  expect_open_fails("/", create, MPI_ERR_BAD_FILE);
  expect_open_fails(rank == ranks - 1 ? NULL : path, create, MPI_ERR_BAD_FILE);
  if (ranks > 1)
    expect_open_fails(path, rank == 0 ? create : create | MPI_MODE_EXCL, MPI_ERR_NOT_SAME);
  CHECK_EQUAL(size_plainly(path), -1);
  MPI_Barrier(MPI_COMM_WORLD);
  file = open_scratch(path, NULL);
  expect_open_fails(path, create | MPI_MODE_EXCL, MPI_ERR_FILE_EXISTS);
  close_checked(&file);
}

/* Every rank writes 8 good bytes in two requests, except that the last one's arguments are bad. */
struct bad_call {
  const char* what;
  int64_t nfile, file_offsets[2], file_lengths[2];
  int64_t mem_length;
  int with_buffer;
  int error_class;
};

static void test_one_bad_rank(void) {
  const struct bad_call calls[] = {
      {"overlapping", 2, {100, 102}, {4, 4}, 8, 1, MPI_ERR_ARG},
      {"descending", 2, {100, 50}, {4, 4}, 8, 1, MPI_ERR_ARG},
      {"negative offset", 2, {-4, 50}, {4, 4}, 8, 1, MPI_ERR_ARG},
      {"negative length", 2, {100, 110}, {4, -4}, 0, 1, MPI_ERR_ARG},
      {"negative count", -1, {100, 110}, {4, 4}, 0, 1, MPI_ERR_ARG},
      {"overflow", 2, {100, INT64_MAX}, {4, 4}, 8, 1, MPI_ERR_ARG},
      {"totals that differ", 2, {100, 110}, {4, 4}, 7, 1, MPI_ERR_ARG},
      {"no buffer", 2, {100, 110}, {4, 4}, 8, 0, MPI_ERR_BUFFER},
  };
  const struct bad_call good = {"good", 2, {100, 110}, {4, 4}, 8, 1, MPI_SUCCESS};
  const char* path = scratch_path("one_bad_rank");
  headrace_file file = open_scratch(path, NULL);
  char bytes[8] = "12345678";
  int64_t done;
  size_t i;
  for (i = 0; i < sizeof calls / sizeof *calls; ++i) {
    const struct bad_call* call = rank == ranks - 1 ? &calls[i] : &good;
    done = -1;
    CHECK_CLASS(
        headrace_write_all(file, call->nfile, call->file_offsets, call->file_lengths,
                           call->with_buffer ? bytes : NULL, 1, &zero, &call->mem_length, &done),
        calls[i].error_class, file);
    CHECK_EQUAL(done, 0);
    CHECK_CLASS(
        headrace_read_all(file, call->nfile, call->file_offsets, call->file_lengths,
                          call->with_buffer ? bytes : NULL, 1, &zero, &call->mem_length, &done),
        calls[i].error_class, file);
    CHECK(strstr(headrace_error_message(file), "rank ") != NULL);
  }
  CHECK_EQUAL(size_plainly(path), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_CLASS(headrace_write_all(file, 2, good.file_offsets, good.file_lengths, bytes, 1, &zero,
                                 &eight, &done),
              MPI_SUCCESS, file);
  CHECK_EQUAL(done, 8);
  close_checked(&file);
}

static void test_access(void) {
  const char* path = scratch_path("access");
  char bytes[8] = "";
  headrace_file file;
  fill_plainly(path, 'x', 8);
  file = reopen(path, MPI_MODE_RDONLY);
  CHECK_CLASS(headrace_write_all(file, 1, &zero, &eight, bytes, 1, &zero, &eight, NULL),
              MPI_ERR_READ_ONLY, file);
  CHECK_CLASS(headrace_set_size(file, 1), MPI_ERR_READ_ONLY, file);
  CHECK_CLASS(headrace_read_all(file, 1, &zero, &eight, bytes, 1, &zero, &eight, NULL), MPI_SUCCESS,
              file);
  close_checked(&file);
  file = reopen(path, MPI_MODE_WRONLY);
  CHECK_CLASS(headrace_read_all(file, 1, &zero, &eight, bytes, 1, &zero, &eight, NULL),
              MPI_ERR_ACCESS, file);
  CHECK_CLASS(headrace_read(file, 1, &zero, &eight, bytes, 1, &zero, &eight, NULL), MPI_ERR_ACCESS,
              file);
  close_checked(&file);
}

static void test_full_device(void) {
  const int64_t offset = 8 * (int64_t)rank;
  int64_t done = -1;
  headrace_file file = reopen("/dev/full", MPI_MODE_RDWR);
  CHECK_CLASS(headrace_write_all(file, 1, &offset, &eight, "12345678", 1, &zero, &eight, &done),
              MPI_ERR_NO_SPACE, file);
  CHECK_EQUAL(done, 0);
  CHECK(strlen(headrace_error_message(file)) > 0);
  CHECK_CLASS(headrace_write(file, 1, &offset, &eight, "12345678", 1, &zero, &eight, &done),
              MPI_ERR_NO_SPACE, file);
  close_checked(&file);
}

/* With headrace_early_return the write is over before the device is full: all ranks hear of it by
 * what they call next. */
static void test_late_errors(void) {
  const char* const hints[] = {"headrace_early_return=true", "headrace_method=tam", NULL};
  const int64_t offset = 8 * (int64_t)rank;
  headrace_file file = open_scratch("/dev/full", hints);
#define WRITE_ALL headrace_write_all(file, 1, &offset, &eight, "12345678", 1, &zero, &eight, NULL)
  CHECK_CLASS(WRITE_ALL, MPI_SUCCESS, file);
  CHECK_CLASS(WRITE_ALL, MPI_ERR_NO_SPACE, file);
  CHECK(strlen(headrace_error_message(file)) > 0);
  CHECK_CLASS(WRITE_ALL, MPI_SUCCESS, file);
  CHECK_CLASS(headrace_sync(file), MPI_ERR_NO_SPACE, file);
  CHECK_CLASS(WRITE_ALL, MPI_SUCCESS, file);
  CHECK_CLASS(headrace_close(&file), MPI_ERR_NO_SPACE, HEADRACE_FILE_NULL);
#undef WRITE_ALL
}

static void test_early_return(void) {
  const char* const hints[] = {"headrace_early_return=true", "headrace_method=tam", NULL};
  const char* path = scratch_path("early_return");
  const int64_t offset = 8 * (int64_t)rank;
  char bytes[8] = "12345678";
  int64_t size = 0;
  headrace_file file = open_scratch(path, hints);
  CHECK_CLASS(headrace_write_all(file, 1, &offset, &eight, bytes, 1, &zero, &eight, NULL),
              MPI_SUCCESS, file);
  memset(bytes, 'x', sizeof bytes);
  CHECK_CLASS(headrace_get_size(file, &size), MPI_SUCCESS, file);
  CHECK_EQUAL(size, 8 * (int64_t)ranks);
  CHECK_CLASS(headrace_read(file, 1, &offset, &eight, bytes, 1, &zero, &eight, NULL), MPI_SUCCESS,
              file);
  CHECK(memcmp(bytes, "12345678", 8) == 0);
  close_checked(&file);
}

static void test_no_file(void) {
  headrace_file none = HEADRACE_FILE_NULL;
  int64_t size = 0;
  const char* report = NULL;
  CHECK_CLASS(headrace_close(&none), MPI_ERR_FILE, none);
  CHECK_CLASS(headrace_sync(none), MPI_ERR_FILE, none);
  CHECK_CLASS(headrace_get_size(none, &size), MPI_ERR_FILE, none);
  CHECK_CLASS(headrace_report(none, &report), MPI_ERR_FILE, none);
  CHECK_CLASS(headrace_write_all(none, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL), MPI_ERR_FILE,
              none);
}

void test_errors(void) {
  test_open_errors();
  test_one_bad_rank();
  test_access();
  test_full_device();
  test_late_errors();
  test_early_return();
  test_no_file();
}
