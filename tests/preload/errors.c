/* What is wrong in a program gives the host's own error: this prints the classes, and the output is
 * compared with that of a run without Headrace. Served per rank: 0. */
#include "check.h"

static void show(const char* what, int code) {
  if (check_rank == 0) printf("%s: %d\n", what, check_class(code));
}

static void wrong_access(const char* path) {
  MPI_File file;
  int value = 1;
  show("open read-only",
       MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  show("write_all", MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  show("write_at_all", MPI_File_write_at_all(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
  show("open write-only",
       MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  show("read_all", MPI_File_read_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
}

static void wrong_views(MPI_File file, MPI_Datatype uncommitted) {
  show("no etype", MPI_File_set_view(file, 0, MPI_DATATYPE_NULL, MPI_INT, "native", MPI_INFO_NULL));
  show("no filetype",
       MPI_File_set_view(file, 0, MPI_INT, MPI_DATATYPE_NULL, "native", MPI_INFO_NULL));
  show("uncommitted filetype",
       MPI_File_set_view(file, 0, MPI_INT, uncommitted, "native", MPI_INFO_NULL));
  show("not of etypes", MPI_File_set_view(file, 0, MPI_INT, MPI_BYTE, "native", MPI_INFO_NULL));
  show("negative displacement",
       MPI_File_set_view(file, -3, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  show("no representation",
       MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "unheard of", MPI_INFO_NULL));
}

static void wrong_arguments(const char* path) {
  MPI_File file;
  MPI_Datatype uncommitted;
  int value = 1;
  MPI_Type_contiguous(1, MPI_INT, &uncommitted);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  show("negative count", MPI_File_write_all(file, &value, -1, MPI_INT, MPI_STATUS_IGNORE));
  show("null datatype", MPI_File_write_all(file, &value, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
  show("uncommitted", MPI_File_write_all(file, &value, 1, uncommitted, MPI_STATUS_IGNORE));
  show("negative offset", MPI_File_read_at_all(file, -1, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  wrong_views(file, uncommitted);
  MPI_File_close(&file);
  MPI_Type_free(&uncommitted);
}

static void wrong_handles(const char* path) {
  MPI_File file = MPI_FILE_NULL;
  int value = 1;
  show("no file", MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  show("close of no file", MPI_File_close(&file));
  char missing[4096];
  snprintf(missing, sizeof missing, "%s.missing", path);
  show("missing file", MPI_File_open(MPI_COMM_WORLD, missing, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_File file = check_open(MPI_COMM_WORLD, argv[1], MPI_INFO_NULL);
  MPI_File_close(&file);
  wrong_access(argv[1]);
  wrong_arguments(argv[1]);
  wrong_handles(argv[1]);
  return check_end();
}
