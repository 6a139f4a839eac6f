/* An error of the file system goes through the file's error handler on every rank, as one class.
 * argv[1] is /dev/full. */
#include "check.h"

static int handled = 0;
static int handled_class = MPI_SUCCESS;

static void handler(MPI_File* file, int* code, ...) {
  (void)file;
  ++handled;
  handled_class = check_class(*code);
}

static int write_something(MPI_File file) {
  static char data[100000];
  return MPI_File_write_at_all(file, (MPI_Offset)sizeof data * check_rank, data, sizeof data,
                               MPI_BYTE, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_File file;
  MPI_Errhandler errhandler;
  CHECK_MPI(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  CHECK(check_class(write_something(file)) == MPI_ERR_NO_SPACE); /* files return errors at first */
  CHECK_MPI(MPI_File_create_errhandler(handler, &errhandler));
  CHECK_MPI(MPI_File_set_errhandler(file, errhandler));
  CHECK(check_class(write_something(file)) == MPI_ERR_NO_SPACE);
  CHECK(handled == 1);
  CHECK(handled_class == MPI_ERR_NO_SPACE);
  MPI_Errhandler_free(&errhandler);
  CHECK_MPI(MPI_File_close(&file));
  return check_end();
}
