/* Each rank opens the file for itself, behind the program's back: the program finds one file of all
 * ranks. At least two ranks. Served per rank: 8; the host's, per rank: 3. */
#include <unistd.h>

#include "check.h"

static int open_with(const char* path, int amode, MPI_File* file) {
  return MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, file);
}

static void write_and_read(MPI_File file) {
  const int out = 100 + check_rank;
  int in = 0;
  CHECK_MPI(MPI_File_write_at_all(file, 4 * check_rank, &out, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_read_at_all(file, 4 * check_rank, &in, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(in == out);
}

static void it_has_the_group_and_the_mode(const char* path) {
  const int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_UNIQUE_OPEN;
  MPI_File file;
  MPI_Group group, world;
  int mode = 0, order = MPI_UNEQUAL;
  CHECK_MPI(open_with(path, amode, &file));
  CHECK_MPI(MPI_File_get_group(file, &group));
  CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
  CHECK_MPI(MPI_Group_compare(group, world, &order));
  CHECK(order == MPI_IDENT);
  CHECK_MPI(MPI_File_get_amode(file, &mode));
  CHECK(mode == amode);
  write_and_read(file);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  CHECK_MPI(MPI_File_close(&file));
  CHECK(file == MPI_FILE_NULL);
}

static void sizes_are_of_all_ranks(const char* path) {
  MPI_File file;
  MPI_Offset size = -1;
  CHECK_MPI(open_with(path, MPI_MODE_RDWR, &file));
  CHECK_MPI(MPI_File_set_size(file, 1000));
  CHECK_MPI(MPI_File_get_size(file, &size));
  CHECK(size == 1000);
  CHECK_MPI(MPI_File_preallocate(file, 2000));
  CHECK_MPI(MPI_File_get_size(file, &size));
  CHECK(size == 2000);
  CHECK(MPI_File_set_size(file, -1) != MPI_SUCCESS);
  CHECK(MPI_File_set_size(file, 1000 + check_rank) != MPI_SUCCESS);
  CHECK_MPI(MPI_File_get_size(file, &size));
  CHECK(size == 2000);
  write_and_read(file);
  CHECK_MPI(MPI_File_close(&file));
}

/* A file that may not be there yet is made once; afterwards it is in the way. */
static void exclusively(const char* path) {
  const int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL;
  MPI_File file, again = MPI_FILE_NULL;
  CHECK_MPI(open_with(path, amode | MPI_MODE_DELETE_ON_CLOSE, &file));
  CHECK(open_with(path, amode, &again) != MPI_SUCCESS);
  CHECK(again == MPI_FILE_NULL);
  write_and_read(file);
  CHECK(access(path, F_OK) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_MPI(MPI_File_close(&file));
  CHECK(access(path, F_OK) != 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 puts another file in the place of the one before while other ranks already open it. */
static void it_is_what_rank_0_finds(const char* path) {
  for (int turn = 0; turn < 20; ++turn) {
    MPI_File file;
    int out = turn, in = -1;
    if (check_rank == 0) {
      usleep(2000);
      CHECK(unlink(path) == 0);
    }
    CHECK_MPI(open_with(path, MPI_MODE_RDWR | MPI_MODE_CREATE, &file));
    CHECK_MPI(MPI_File_write_at(file, 4 * check_rank, &out, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_MPI(MPI_File_read_at(file, 4 * (check_size - 1 - check_rank), &in, 1, MPI_INT,
                               MPI_STATUS_IGNORE));
    CHECK(in == turn);
    CHECK_MPI(MPI_File_close(&file));
  }
}

/* As programs do with files of which nothing is to be left. The calls are the host's, which finds
 * it no more. */
static void it_has_no_name_any_more(const char* path) {
  const int out = 200 + check_rank;
  int in[2] = {0, 0};
  MPI_File file;
  MPI_Datatype apart;
  CHECK_MPI(open_with(path, MPI_MODE_RDWR | MPI_MODE_CREATE, &file));
  if (check_rank == 0) CHECK(unlink(path) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_MPI(MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * check_size, &apart));
  CHECK_MPI(MPI_Type_commit(&apart));
  CHECK_MPI(MPI_File_set_view(file, (MPI_Offset)sizeof(int) * check_rank, MPI_INT, apart, "native",
                              MPI_INFO_NULL));
  CHECK_MPI(MPI_File_set_atomicity(file, 1));
  for (int turn = 0; turn < 2; ++turn)
    CHECK_MPI(MPI_File_write_all(file, &out, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(check_position(file) == 2);
  CHECK_MPI(MPI_File_read_at_all(file, 0, in, 2, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(in[0] == out && in[1] == out);
  MPI_Type_free(&apart);
  CHECK_MPI(MPI_File_close(&file));
}

/* The only process that may be an aggregator is on one host: ROMIO refuses to open a file where no
 * process may be one, as it would be on all others. */
static void hints_may_be_about_other_ranks(const char* path) {
  MPI_File file;
  MPI_Info info;
  CHECK_MPI(MPI_Info_create(&info));
  CHECK_MPI(MPI_Info_set(info, "cb_config_list", "elsewhere:1"));
  CHECK_MPI(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, info, &file));
  write_and_read(file);
  MPI_Info_free(&info);
  CHECK_MPI(MPI_File_close(&file));
}

/* That is the host's error, and no word of Headrace's. */
static void missing(const char* path) {
  char other[4096];
  MPI_File file = MPI_FILE_NULL;
  snprintf(other, sizeof other, "%s.missing", path);
  CHECK(check_class(open_with(other, MPI_MODE_RDWR, &file)) == MPI_ERR_NO_SUCH_FILE);
  CHECK(file == MPI_FILE_NULL);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  char other[4096];
  snprintf(other, sizeof other, "%s.exclusive", argv[1]);
  it_has_the_group_and_the_mode(argv[1]);
  sizes_are_of_all_ranks(argv[1]);
  if (check_rank == 0) unlink(other);
  MPI_Barrier(MPI_COMM_WORLD);
  exclusively(other);
  it_has_no_name_any_more(other);
  hints_may_be_about_other_ranks(argv[1]);
  missing(argv[1]);
  it_is_what_rank_0_finds(argv[1]);
  return check_end();
}
