/* What the test programs of the C API share. Failures are printed and counted, and the test goes
 * on, so that no rank leaves the others waiting in a collective call. */
#ifndef HEADRACE_TESTS_CAPI_CHECKS_H
#define HEADRACE_TESTS_CAPI_CHECKS_H

#include <headrace/headrace.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

extern int failures;
extern int rank;
extern int ranks;

void check(int holds, const char* what, const char* file, int line);
void check_equal(int64_t found, int64_t expected, const char* what, const char* file, int line);
/* MPI_SUCCESS or that class, on every rank; prints the file's message if it is not. */
void check_class(int found, int expected, headrace_file handle, const char* file, int line);

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(found, expected) check_equal((found), (expected), #found, __FILE__, __LINE__)
#define CHECK_CLASS(call, expected, handle) \
  check_class((call), (expected), (handle), __FILE__, __LINE__)

/* The path of a scratch file of this run, the same on all ranks; it is removed first. Collective.
 */
const char* scratch_path(const char* name);
/* Opens it for reading and writing, creating it, with these hints ("key=value", ended by NULL, or
 * NULL for none). Collective. */
headrace_file open_scratch(const char* path, const char* const* hints);
headrace_file reopen(const char* path, int amode);
void close_checked(headrace_file* file);

/* Plain POSIX, the oracle: `length` bytes of a file at `offset`, zeros beyond its end. Local. */
void read_plainly(const char* path, int64_t offset, void* bytes, size_t length);
/* -1 where there is no such file. Local. */
int64_t size_plainly(const char* path);
/* Rank 0 makes the file hold `size` times `byte`. Collective. */
void fill_plainly(const char* path, int byte, size_t size);

/* The value of a counter in a report, -1 if it is not there. */
int64_t counter_in(const char* report, const char* name);
/* Whether the text is one JSON value and nothing else. */
int is_json(const char* text);

/* The byte that `rank` writes at `position` of its stream. */
unsigned char stream_byte(int of_rank, int64_t position);

void test_round_trips(void);
void test_files(void);
void test_errors(void);

#endif
