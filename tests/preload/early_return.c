/* headrace_early_return: a rank finds its own data in the file, whatever it asks next; and an error
 * comes to all ranks, once, with the next call, with the sync or with the close.
 * Served per rank: 9 + 9 + 4. */
#include "check.h"

enum { piece = 1000, pieces = 50 };

static MPI_Info hints(const char* schedule) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "headrace_early_return", "true");
  MPI_Info_set(info, "headrace_schedule", schedule);
  MPI_Info_set(info, "headrace_method", "tam");
  MPI_Info_set(info, "cb_buffer_size", "4096");
  return info;
}

/* The ranks take turns, and leave a byte after each. */
static void set_view(MPI_File file) {
  MPI_Datatype turn, tile;
  MPI_Type_contiguous(piece, MPI_BYTE, &turn);
  MPI_Type_create_resized(turn, 0, (MPI_Aint)check_size * (piece + 1), &tile);
  MPI_Type_commit(&tile);
  CHECK_MPI(MPI_File_set_view(file, (MPI_Offset)check_rank * (piece + 1), MPI_BYTE, tile, "native",
                              MPI_INFO_NULL));
  MPI_Type_free(&turn);
  MPI_Type_free(&tile);
}

static int write_all(MPI_File file, char value) {
  static char data[piece * pieces];
  memset(data, value, sizeof data);
  const int code = MPI_File_write_at_all(file, 0, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE);
  memset(data, 'X', sizeof data); /* it is the program's again */
  return code;
}

static int all_are(const char* data, int count, char value) {
  for (int i = 0; i < count; ++i)
    if (data[i] != value) return 0;
  return 1;
}

static void finds_its_own_data(const char* path, const char* schedule) {
  static char data[piece * pieces];
  MPI_Info info = hints(schedule);
  MPI_File file = check_open(MPI_COMM_WORLD, path, info);
  MPI_Info_free(&info);
  set_view(file);
  const MPI_Offset own_end =
      (MPI_Offset)(piece + 1) * ((pieces - 1) * check_size + check_rank) + piece;
  for (int i = 0; i < 3; ++i) {
    MPI_Offset size = 0;
    MPI_Status status;
    CHECK_MPI(write_all(file, (char)('a' + i)));
    if (i == 0) CHECK_MPI(MPI_File_get_size(file, &size));
    if (i == 0) CHECK(size >= own_end);
    CHECK_MPI(MPI_File_read_at(file, 0, data, sizeof data, MPI_BYTE, &status));
    CHECK(check_count(&status, MPI_BYTE) == (int)sizeof data);
    CHECK(all_are(data, sizeof data, (char)('a' + i)));
    /* What a rank writes after the call is not undone by the call. */
    CHECK_MPI(write_all(file, 'y'));
    CHECK_MPI(MPI_File_write_at(file, 0, data, piece, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_sync(file));
    CHECK_MPI(MPI_File_read_at_all(file, 0, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(all_are(data, piece, (char)('a' + i)));
    CHECK(all_are(data + piece, piece * (pieces - 1), 'y'));
  }
  CHECK_MPI(MPI_File_close(&file));
}

static MPI_File open_full(void) {
  MPI_File file;
  MPI_Info info = hints("gw_mdf");
  CHECK_MPI(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, info, &file));
  MPI_Info_free(&info);
  set_view(file);
  return file;
}

static void hears_of_errors(void) {
  MPI_File file = open_full();
  CHECK_MPI(write_all(file, 'e'));
  CHECK(check_class(write_all(file, 'e')) == MPI_ERR_NO_SPACE);
  CHECK_MPI(write_all(file, 'e'));
  CHECK(check_class(MPI_File_sync(file)) == MPI_ERR_NO_SPACE);
  CHECK_MPI(write_all(file, 'e'));
  CHECK(check_class(MPI_File_close(&file)) == MPI_ERR_NO_SPACE);
  CHECK(file == MPI_FILE_NULL);
  file = open_full();
  CHECK_MPI(write_all(file, 'e'));
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  CHECK(check_class(MPI_File_close(&file)) == MPI_ERR_NO_SPACE);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  finds_its_own_data(argv[1], "lw_mdf");
  finds_its_own_data(argv[1], "best");
  hears_of_errors();
  return check_end();
}
