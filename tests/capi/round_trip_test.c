/* Lists of many shapes, written and read back; the files are checked with plain POSIX reads. */
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { pieces = 200, widest = 16 };

/* Rank r's i-th request is `width` bytes in slot i * ranks + r of the file, a slot being `slot`. */
static void interleaved(int64_t* offsets, int64_t* lengths, int64_t width, int64_t slot) {
  int64_t i;
  for (i = 0; i < pieces; ++i) {
    offsets[i] = (i * ranks + rank) * slot;
    lengths[i] = width;
  }
}

/* Every byte of an interleaved file: a rank's, or `hole`, which nobody wrote. */
static void check_interleaved(const char* path, int64_t width, int64_t slot, unsigned char hole) {
  const int64_t size = (int64_t)pieces * ranks * slot;
  unsigned char* bytes = malloc((size_t)size);
  int64_t at;
  int wrong = 0;
  read_plainly(path, 0, bytes, (size_t)size);
  for (at = 0; at < size; ++at) {
    const int64_t number = at / slot;
    const int64_t within = at % slot;
    const int of_rank = (int)(number % ranks);
    const unsigned char expected =
        within < width ? stream_byte(of_rank, number / ranks * width + within) : hole;
    wrong += bytes[at] != expected;
  }
  CHECK_EQUAL(wrong, 0);
  free(bytes);
}

static void fill_stream(unsigned char* bytes, int64_t size) {
  int64_t i;
  for (i = 0; i < size; ++i) bytes[i] = stream_byte(rank, i);
}

/* Writes and reads interleaved requests with these hints, over a file full of 0xEE. */
static void round_trip(const char* name, const char* const* hints, int64_t width, int64_t slot,
                       const char* counter) {
  const char* path = scratch_path(name);
  int64_t offsets[pieces];
  int64_t lengths[pieces];
  unsigned char sent[pieces * widest];
  unsigned char received[pieces * widest];
  const int64_t zero = 0;
  const int64_t total = pieces * width;
  int64_t done = -1;
  const char* report = "";
  headrace_file file;

  fill_plainly(path, 0xEE, (size_t)(pieces * ranks * slot));
  interleaved(offsets, lengths, width, slot);
  fill_stream(sent, total);
  file = open_scratch(path, hints);
  CHECK_CLASS(headrace_write_all(file, pieces, offsets, lengths, sent, 1, &zero, &total, &done),
              MPI_SUCCESS, file);
  CHECK_EQUAL(done, total);
  check_interleaved(path, width, slot, 0xEE);

  memset(received, 0, sizeof received);
  CHECK_CLASS(headrace_read_all(file, pieces, offsets, lengths, received, 1, &zero, &total, &done),
              MPI_SUCCESS, file);
  CHECK_EQUAL(done, total);
  CHECK(memcmp(sent, received, (size_t)total) == 0);

  CHECK_CLASS(headrace_report(file, &report), MPI_SUCCESS, file);
  CHECK(is_json(report));
  CHECK_EQUAL(counter_in(report, counter), 2 * ranks);
  close_checked(&file);
}

static void test_methods(void) {
  const char* const two_phase[] = {"headrace_method=two_phase", NULL};
  const char* const tam[] = {"headrace_method=tam", NULL};
  const char* const small[] = {"headrace_method=tam", "cb_buffer_size=64", NULL};
  const char* const none[] = {"romio_cb_write=disable", "romio_cb_read=disable", NULL};
  round_trip("two_phase", two_phase, 8, 8, "two_phase_calls");
  round_trip("tam", tam, 8, 8, "tam_calls");
  round_trip("holes", tam, 5, 16, "tam_calls");
  round_trip("small_buffers", small, 16, 16, "tam_calls");
  round_trip("independent", none, 5, 16, "host_calls");
}

/* Memory in descending pieces of 3 bytes, the file in ascending ones of 5: cuts that never meet. */
static void test_noncontiguous_memory(void) {
  enum { total = 150, memory_pieces = total / 3, file_pieces = total / 5 };
  const char* path = scratch_path("noncontiguous");
  int64_t file_offsets[file_pieces], file_lengths[file_pieces];
  int64_t mem_offsets[memory_pieces], mem_lengths[memory_pieces];
  unsigned char sent[2 * total], received[2 * total], plain[5];
  unsigned char* const sent_end = sent + sizeof sent;
  unsigned char* const received_end = received + sizeof received;
  int64_t i, done = 0;
  headrace_file file = open_scratch(path, NULL);

  memset(sent, 0xAA, sizeof sent);
  memset(received, 0xAA, sizeof received);
  for (i = 0; i < memory_pieces; ++i) {
    mem_offsets[i] = -6 * (i + 1);
    mem_lengths[i] = 3;
  }
  for (i = 0; i < file_pieces; ++i) {
    file_offsets[i] = (i * ranks + rank) * 5;
    file_lengths[i] = 5;
  }
  for (i = 0; i < total; ++i) sent_end[mem_offsets[i / 3] + i % 3] = stream_byte(rank, i);
  CHECK_CLASS(headrace_write_all(file, file_pieces, file_offsets, file_lengths, sent_end,
                                 memory_pieces, mem_offsets, mem_lengths, &done),
              MPI_SUCCESS, file);
  CHECK_EQUAL(done, total);
  for (i = 0; i < total; ++i) {
    if (i % 5 == 0) read_plainly(path, file_offsets[i / 5], plain, 5);
    CHECK_EQUAL(plain[i % 5], stream_byte(rank, i));
  }
  CHECK_CLASS(headrace_read_all(file, file_pieces, file_offsets, file_lengths, received_end,
                                memory_pieces, mem_offsets, mem_lengths, NULL),
              MPI_SUCCESS, file);
  CHECK(memcmp(sent, received, sizeof sent) == 0);
  close_checked(&file);
}

/* Only the last rank has something to do; the others pass nothing at all. */
static void test_ranks_with_nothing(void) {
  const char* path = scratch_path("one_writer");
  const int64_t offset = 3, length = 6, zero = 0;
  const int busy = rank == ranks - 1;
  char received[6] = "";
  char plain[9];
  int64_t done = -1;
  headrace_file file = open_scratch(path, NULL);
  CHECK_CLASS(headrace_write_all(file, busy, busy ? &offset : NULL, busy ? &length : NULL,
                                 busy ? "stream" : NULL, busy, busy ? &zero : NULL,
                                 busy ? &length : NULL, &done),
              MPI_SUCCESS, file);
  CHECK_EQUAL(done, busy ? 6 : 0);
  read_plainly(path, 0, plain, sizeof plain);
  CHECK(memcmp(plain, "\0\0\0stream", sizeof plain) == 0);
  CHECK_CLASS(headrace_read_all(file, busy, busy ? &offset : NULL, busy ? &length : NULL,
                                busy ? received : NULL, busy, busy ? &zero : NULL,
                                busy ? &length : NULL, &done),
              MPI_SUCCESS, file);
  CHECK_EQUAL(done, busy ? 6 : 0);
  CHECK(!busy || memcmp(received, "stream", 6) == 0);
  CHECK_CLASS(headrace_write_all(file, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL), MPI_SUCCESS,
              file);
  close_checked(&file);
}

static void test_end_of_file(void) {
  const char* path = scratch_path("short");
  /* The file has 10 bytes: each rank asks for 4 at 2, and 8 at 7; the last one for 4 at 100. */
  const int last = rank == ranks - 1 && ranks > 1;
  const int64_t offsets[2] = {2, 7}, lengths[2] = {4, 8}, beyond = 100;
  const int64_t zero = 0, total = last ? 4 : 12;
  char bytes[12];
  int64_t done = -1;
  headrace_file file;
  fill_plainly(path, 'x', 10);
  file = reopen(path, MPI_MODE_RDONLY);
  memset(bytes, '-', sizeof bytes);
  CHECK_CLASS(headrace_read_all(file, last ? 1 : 2, last ? &beyond : offsets, lengths, bytes, 1,
                                &zero, &total, &done),
              MPI_SUCCESS, file);
  CHECK_EQUAL(done, last ? 0 : 7);
  CHECK(last || memcmp(bytes, "xxxxxxx", 7) == 0);
  done = -1;
  CHECK_CLASS(headrace_read(file, last ? 1 : 2, last ? &beyond : offsets, lengths, bytes, 1, &zero,
                            &total, &done),
              MPI_SUCCESS, file);
  CHECK_EQUAL(done, last ? 0 : 7);
  close_checked(&file);
}

static void test_large_offsets(void) {
  const char* path = scratch_path("sparse");
  const int64_t start = (int64_t)3 << 30;
  const int64_t offset = start + 16 * rank, length = 8, zero = 0;
  const int64_t value = 1000 + rank;
  int64_t found[2] = {-1, -1};
  headrace_file file = open_scratch(path, NULL);
  CHECK_CLASS(headrace_write_all(file, 1, &offset, &length, &value, 1, &zero, &length, NULL),
              MPI_SUCCESS, file);
  CHECK_EQUAL(size_plainly(path), start + 16 * (ranks - 1) + 8);
  read_plainly(path, offset - 8, found, sizeof found);
  CHECK_EQUAL(found[0], 0);
  CHECK_EQUAL(found[1], value);
  CHECK_CLASS(headrace_read_all(file, 1, &offset, &length, found, 1, &zero, &length, NULL),
              MPI_SUCCESS, file);
  CHECK_EQUAL(found[0], value);
  close_checked(&file);
  scratch_path("sparse");
}

void test_round_trips(void) {
  test_methods();
  test_noncontiguous_memory();
  test_ranks_with_nothing();
  test_end_of_file();
  test_large_offsets();
}
