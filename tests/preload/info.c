/* MPI_File_get_info shows what is in effect, in hints that the host can be given. Served per
 * rank: 2. */
#include "check.h"

static void check_value(MPI_File file, const char* key, const char* expected) {
  MPI_Info info;
  char value[256] = "";
  int found = 0;
  CHECK_MPI(MPI_File_get_info(file, &info));
  CHECK_MPI(MPI_Info_get(info, key, 255, value, &found));
  MPI_Info_free(&info);
  if (!found || strcmp(value, expected) != 0) {
    ++check_failures;
    fprintf(stderr, "%s is %s, not %s\n", key, found ? value : "missing", expected);
  }
}

/* As PnetCDF does for independent accesses. */
static void open_with_shown_hints(MPI_File file, const char* path) {
  MPI_Info info;
  CHECK_MPI(MPI_File_get_info(file, &info));
  MPI_File again = check_open(MPI_COMM_SELF, path, info);
  CHECK_MPI(MPI_File_close(&again));
  MPI_Info_free(&info);
}

/* What the host would do by itself is not shown where it would be wrong: its aggregators. */
static void check_aggregators(MPI_File file, int may_be_missing) {
  MPI_Info info;
  char value[256] = "", expected[16];
  int found = 0;
  snprintf(expected, sizeof expected, "%d", getenv("HEADRACE_RANKS_PER_NODE") ? check_size : 1);
  CHECK_MPI(MPI_File_get_info(file, &info));
  CHECK_MPI(MPI_Info_get(info, "cb_nodes", 255, value, &found));
  CHECK(found ? strcmp(value, expected) == 0 : may_be_missing);
  CHECK_MPI(MPI_Info_get(info, "romio_aggregator_list", 255, value, &found));
  CHECK(!found);
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Info info;
  MPI_Info_create(&info);
  /* Rank 0's value counts; the environment (see CMakeLists.txt) overrides the method. */
  MPI_Info_set(info, "cb_buffer_size", check_rank == 0 ? "65536" : "131072");
  MPI_Info_set(info, "headrace_method", "tam");
  MPI_File file = check_open(MPI_COMM_WORLD, argv[1], info);
  check_value(file, "headrace_method", "two_phase");
  check_aggregators(file, 1);
  open_with_shown_hints(file, argv[1]);
  CHECK_MPI(MPI_File_write_at_all(file, check_rank, "x", 1, MPI_BYTE, MPI_STATUS_IGNORE));
  check_value(file, "cb_buffer_size", "65536");
  check_aggregators(file, 0);
  if (!getenv("HEADRACE_RANKS_PER_NODE")) check_value(file, "headrace_local_aggregators", "1");
  check_value(file, "romio_cb_write", "automatic");
  MPI_Info_set(info, "cb_buffer_size", "32768");
  CHECK_MPI(MPI_File_set_info(file, info));
  check_value(file, "cb_buffer_size", "32768");
  check_aggregators(file, 1);
  check_value(file, "headrace_method", "two_phase");
  CHECK_MPI(MPI_File_write_at_all(file, check_rank, "x", 1, MPI_BYTE, MPI_STATUS_IGNORE));
  check_value(file, "cb_buffer_size", "32768");
  MPI_Info_set(info, "cb_buffer_size", "16384");
  CHECK_MPI(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", info));
  check_value(file, "cb_buffer_size", "16384");
  MPI_Info_free(&info);
  CHECK_MPI(MPI_File_close(&file));
  return check_end();
}
