/* What a rank's memory grows by, beyond its buffer and its datatype, for views of many requests,
 * `argv[2]` of 4 to 16 bytes, if given: some that recur, as the columns of each level of a variable
 * do, and some without a rule. Two ranks a node. Served per rank: 8. */
#include <malloc.h>

#include "check.h"

/* Of /proc/self/status, in bytes. */
static long memory(const char* key) {
  char line[256];
  long kibibytes = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, key, strlen(key)) == 0) kibibytes = atol(line + strlen(key) + 1);
  if (file != NULL) fclose(file);
  return kibibytes * 1024;
}

/* From now on VmHWM is the most memory that there has been since. */
static void forget_the_peak(void) {
  FILE* file = fopen("/proc/self/clear_refs", "w");
  CHECK(file != NULL);
  if (file == NULL) return;
  fputs("5", file);
  fclose(file);
}

/* `requests` pieces of 1 to 4 floats, one in each row that all ranks share; how many floats, in
 * `floats`. The pieces of `period` rows recur. */
static MPI_Datatype filetype_of(int requests, int period, int* floats) {
  int* lengths = malloc(sizeof(int) * (size_t)requests);
  int* displacements = malloc(sizeof(int) * (size_t)requests);
  unsigned random = 0;
  MPI_Datatype type;
  *floats = 0;
  for (int i = 0; i < requests; ++i) {
    if (i % period == 0) random = 12345U + (unsigned)check_rank;
    random = random * 1664525U + 1013904223U;
    lengths[i] = 1 + (int)(random >> 20U & 3U);
    displacements[i] = (i * check_size + check_rank) * 8 + (int)(random >> 10U & 3U);
    *floats += lengths[i];
  }
  CHECK_MPI(MPI_Type_indexed(requests, lengths, displacements, MPI_FLOAT, &type));
  CHECK_MPI(MPI_Type_commit(&type));
  free(displacements);
  free(lengths);
  return type;
}

static void at_most(const char* what, long bytes, long most) {
  printf("rank %d: %s: %ld KiB, at most %ld\n", check_rank, what, bytes / 1024, most / 1024);
  CHECK(bytes <= most);
}

/* `set`, `kept`: bytes that a view may take while it is set, and afterwards. */
static void measure(const char* path, const char* name, int requests, int period, long set,
                    long kept) {
  const long mebibyte = 1 << 20;
  int floats = 0;
  MPI_Datatype filetype = filetype_of(requests, period, &floats);
  float* data = malloc(sizeof(float) * (size_t)floats);
  for (int i = 0; i < floats; ++i) data[i] = (float)i;
  MPI_File file = check_open(MPI_COMM_WORLD, path, MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d, %s\n", check_rank, name);

  malloc_trim(0);
  const long before = memory("VmRSS");
  const long shared_before = memory("RssShmem");
  forget_the_peak();
  CHECK_MPI(MPI_File_set_view(file, 0, MPI_FLOAT, filetype, "native", MPI_INFO_NULL));
  malloc_trim(0); /* of what MPI told while the view was decoded */
  const long view = memory("VmRSS") - before;
  at_most("a view being set", memory("VmHWM") - before, set);
  at_most("a view", view, kept);

  const long besides = (check_rank % 2 == 0 ? 36 : 4) * mebibyte; /* an aggregator's, or not */
  forget_the_peak();
  CHECK_MPI(MPI_File_write_all(file, data, floats, MPI_FLOAT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_write_at_all(file, 0, data, floats, MPI_FLOAT, MPI_STATUS_IGNORE));
  long shared = memory("RssShmem") - shared_before;
  at_most("writes: shared memory", shared, 26 * mebibyte);
  at_most("writes, besides", memory("VmHWM") - before - view - shared, besides);

  forget_the_peak();
  for (int read = 0; read < 2; ++read) {
    memset(data, 0, sizeof(float) * (size_t)floats);
    CHECK_MPI(MPI_File_read_at_all(file, 0, data, floats, MPI_FLOAT, MPI_STATUS_IGNORE));
    int wrong = 0;
    for (int i = 0; i < floats; ++i) wrong += data[i] != (float)i;
    CHECK(wrong == 0);
  }
  shared = memory("RssShmem") - shared_before;
  at_most("reads: shared memory", shared, 34 * mebibyte);
  at_most("reads, besides", memory("VmHWM") - before - view - shared, besides);
  CHECK_MPI(MPI_File_close(&file));
  MPI_Type_free(&filetype);
  free(data);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const long mebibyte = 1 << 20;
  const int requests = argc > 2 ? atoi(argv[2]) : 1000000;
  measure(argv[1], "pieces that recur every 1,000", requests, 1000, 12L * requests + 16 * mebibyte,
          4 * mebibyte);
  measure(argv[1], "pieces without a rule", requests, requests, 12L * requests + 16 * mebibyte,
          2L * requests + mebibyte);
  return check_end();
}
