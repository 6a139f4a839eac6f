/* The host's handles are opened late, or never: the program finds that they are there. At least two
 * ranks. Served per rank: 5; the host's: none. */
#include <limits.h>
#include <unistd.h>

#include "check.h"

static MPI_File file;
static int handled = 0;
static int handled_amode = 0;

static void handler(MPI_File* of, int* code, ...) {
  (void)code;
  ++handled;
  CHECK_MPI(MPI_File_get_amode(*of, &handled_amode)); /* by the handle that the handler gets */
  CHECK_MPI(MPI_File_get_amode(file, &handled_amode));
}

static int open_with(const char* path, int amode, MPI_Info info) {
  return MPI_File_open(MPI_COMM_WORLD, path, amode, info, &file);
}

static void open_new(const char* path) {
  CHECK_MPI(open_with(path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL));
  CHECK_MPI(MPI_File_set_size(file, 0));
}

/* Descriptors of this process by which the file is open. */
static int descriptors_of(const char* path) {
  char real[PATH_MAX], name[64], target[PATH_MAX];
  int count = 0;
  CHECK(realpath(path, real) != NULL);
  for (int fd = 0; fd < 256; ++fd) {
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(name, target, sizeof target - 1);
    if (length < 0) continue;
    target[length] = 0;
    count += strcmp(target, real) == 0;
  }
  return count;
}

static void write_and_read_all(void) {
  const int out = 100 + check_rank;
  int in = 0;
  CHECK_MPI(MPI_File_write_at_all(file, 4 * check_rank, &out, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_read_at_all(file, 4 * check_rank, &in, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(in == out);
}

/* Which rank wrote it, other ranks read: by one independent call or by the other. */
static void write_and_read_alone(int is_blocking) {
  const int from = check_size - 1 - check_rank;
  const int out = 200 + check_rank;
  int in = 0;
  MPI_Request request;
  MPI_Status status;
  if (is_blocking) {
    CHECK_MPI(MPI_File_write_at(file, 4 * check_rank, &out, 1, MPI_INT, &status));
  } else {
    CHECK_MPI(MPI_File_iwrite_at(file, 4 * check_rank, &out, 1, MPI_INT, &request));
    CHECK_MPI(MPI_Wait(&request, &status));
  }
  CHECK(check_count(&status, MPI_INT) == 1);
  CHECK_MPI(MPI_File_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_MPI(MPI_File_read_at(file, 4 * from, &in, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(in == 200 + from);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Which the host is not given for an independent call. */
static void set_view_of_many_blocks(void) {
  MPI_Datatype type;
  CHECK_MPI(MPI_Type_vector(1000, 1, 3, MPI_BYTE, &type));
  CHECK_MPI(MPI_Type_commit(&type));
  CHECK_MPI(MPI_File_set_view(file, 1, MPI_BYTE, type, "native", MPI_INFO_NULL));
  MPI_Type_free(&type);
}

/* The same view in another place, and the same place in another unit. */
static void a_view_is_moved(const char* path) {
  MPI_Datatype type, etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
  MPI_Offset displacement = -1, byte = -1;
  char representation[MPI_MAX_DATAREP_STRING + 1];
  int size = 0, combiner = 0, counts[3];
  open_new(path);
  CHECK_MPI(MPI_Type_vector(1000, 1, 3, MPI_INT, &type));
  CHECK_MPI(MPI_Type_commit(&type));
  for (int turn = 0; turn < 3; ++turn) {
    const MPI_Datatype unit = turn < 2 ? MPI_BYTE : MPI_INT;
    CHECK_MPI(MPI_File_set_view(file, 100 * turn, unit, type, "native", MPI_INFO_NULL));
    CHECK(check_position(file) == 0);
    CHECK_MPI(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
    CHECK(displacement == 100 * turn && etype == unit);
    CHECK_MPI(MPI_Type_size(filetype, &size));
    CHECK(size == 4000);
    CHECK_MPI(MPI_Type_get_envelope(filetype, &counts[0], &counts[1], &counts[2], &combiner));
    CHECK(combiner != MPI_COMBINER_NAMED);
    CHECK_MPI(MPI_Type_free(&filetype));
    CHECK_MPI(MPI_File_get_byte_offset(file, unit == MPI_INT ? 2 : 8, &byte));
    CHECK(byte == 100 * turn + 24);
    CHECK_MPI(MPI_File_seek(file, 5, MPI_SEEK_SET));
  }
  MPI_Type_free(&type);
  CHECK_MPI(MPI_File_close(&file));
}

static void most_ranks_open_it_once(const char* path) {
  open_new(path);
  if (check_rank > 0) CHECK(descriptors_of(path) == 1);
  write_and_read_alone(1);
  write_and_read_alone(0);
  CHECK_MPI(MPI_File_close(&file));
  CHECK(descriptors_of(path) == 0);
}

static void without_independent_calls_only_aggregators_do(const char* path) {
  MPI_Info info;
  CHECK_MPI(MPI_Info_create(&info));
  CHECK_MPI(MPI_Info_set(info, "romio_no_indep_rw", "true"));
  CHECK_MPI(MPI_Info_set(info, "cb_nodes", "1"));
  CHECK_MPI(open_with(path, MPI_MODE_RDWR, info));
  write_and_read_all();
  if (check_rank > 0) CHECK(descriptors_of(path) == 0);
  write_and_read_alone(1); /* though it said that it would not */
  MPI_Info_free(&info);
  CHECK_MPI(MPI_File_close(&file));
}

static void it_is_found_without_its_name(const char* path) {
  char other[4096];
  snprintf(other, sizeof other, "%s.other", path);
  open_new(other);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check_rank == 0) CHECK(unlink(other) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  write_and_read_alone(1);
  write_and_read_alone(0);
  set_view_of_many_blocks();
  write_and_read_alone(1);
  CHECK_MPI(MPI_File_close(&file));
  CHECK(access(other, F_OK) != 0);
}

/* Another file has its name, and is not touched. */
static void it_is_found_in_another_place(const char* path) {
  char moved[4096];
  int in = -1;
  snprintf(moved, sizeof moved, "%s.moved", path);
  open_new(path);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check_rank == 0) {
    CHECK(rename(path, moved) == 0);
    fclose(fopen(path, "w"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  write_and_read_alone(0);
  CHECK_MPI(MPI_File_close(&file));
  CHECK_MPI(open_with(moved, MPI_MODE_RDONLY, MPI_INFO_NULL));
  CHECK_MPI(MPI_File_read_at(file, 4 * check_rank, &in, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(in == 200 + check_rank);
  CHECK_MPI(MPI_File_close(&file));
  CHECK_MPI(open_with(path, MPI_MODE_RDWR, MPI_INFO_NULL));
  MPI_Offset size = -1;
  CHECK_MPI(MPI_File_get_size(file, &size));
  CHECK(size == 0);
  CHECK_MPI(MPI_File_close(&file));
  if (check_rank == 0) unlink(moved);
}

static void it_is_appended_to(const char* path) {
  const int out = 300 + check_rank;
  int in = 0;
  MPI_Offset begin = 0;
  open_new(path);
  CHECK_MPI(MPI_File_set_size(file, 100));
  CHECK_MPI(MPI_File_close(&file));
  CHECK_MPI(open_with(path, MPI_MODE_RDWR | MPI_MODE_APPEND, MPI_INFO_NULL));
  CHECK(check_position(file) == 100);
  CHECK_MPI(MPI_File_seek(file, 4 * check_rank, MPI_SEEK_CUR));
  CHECK_MPI(MPI_File_get_byte_offset(file, 100 + 4 * check_rank, &begin));
  CHECK(begin == 100 + 4 * check_rank);
  CHECK_MPI(MPI_File_write_all(file, &out, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_seek(file, -4, MPI_SEEK_CUR));
  MPI_Request request; /* the pointer goes along to the host */
  CHECK_MPI(MPI_File_iread(file, &in, 1, MPI_INT, &request));
  CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(in == out);
  CHECK(check_position(file) == 104 + 4 * check_rank);
  CHECK_MPI(MPI_File_close(&file));
}

/* By any rank, whether the host has opened the file for it or not. */
static void shown_hints_are_the_same(void) {
  MPI_Info info;
  int keys = 0, least = 0, most = 0, found = 0;
  char key[MPI_MAX_INFO_KEY + 1], value[1024], first[1024];
  CHECK_MPI(MPI_File_get_info(file, &info));
  CHECK_MPI(MPI_Info_get_nkeys(info, &keys));
  MPI_Allreduce(&keys, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&keys, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK(least == most);
  for (int i = 0; i < least; ++i) {
    CHECK_MPI(MPI_Info_get_nthkey(info, i, key));
    MPI_Bcast(key, sizeof key, MPI_CHAR, 0, MPI_COMM_WORLD);
    memset(value, 0, sizeof value);
    CHECK_MPI(MPI_Info_get(info, key, sizeof value - 1, value, &found));
    CHECK(found);
    memcpy(first, value, sizeof value);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(strcmp(first, value) == 0);
  }
  MPI_Info_free(&info);
}

static void it_answers(const char* path) {
  MPI_Offset displacement = -1;
  MPI_Datatype etype = MPI_INT, filetype = MPI_INT;
  MPI_Aint extent = 0;
  MPI_Info info;
  char representation[MPI_MAX_DATAREP_STRING + 1] = "", value[MPI_MAX_INFO_VAL + 1];
  int flag = -1, is_there = 0;
  open_new(path);
  CHECK_MPI(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
  CHECK(displacement == 0 && etype == MPI_BYTE && filetype == MPI_BYTE);
  CHECK(strcmp(representation, "native") == 0);
  CHECK_MPI(MPI_File_get_atomicity(file, &flag));
  CHECK(flag == 0);
  CHECK_MPI(MPI_File_get_info(file, &info));
  CHECK_MPI(MPI_Info_get(info, "cb_buffer_size", MPI_MAX_INFO_VAL, value, &is_there));
  CHECK(is_there);
  MPI_Info_free(&info);
  if (check_rank > 0) CHECK(descriptors_of(path) == 1);
  shown_hints_are_the_same();
  CHECK_MPI(MPI_File_get_type_extent(file, MPI_INT, &extent));
  CHECK(extent == sizeof(int));
  CHECK(MPI_File_f2c(MPI_File_c2f(file)) == file);
  CHECK(MPI_File_c2f(file) == MPI_File_c2f(file));
  CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
  MPI_File same = MPI_File_f2c(MPI_File_c2f(file));
  CHECK_MPI(MPI_File_set_atomicity(same, 1));
  CHECK_MPI(MPI_File_get_atomicity(file, &flag));
  CHECK(flag == 1);
  CHECK_MPI(MPI_File_close(&file));
  CHECK(file == MPI_FILE_NULL);
}

static void errors_are_handled(const char* path) {
  MPI_Errhandler own, is_set;
  int data = 0;
  CHECK_MPI(MPI_File_create_errhandler(handler, &own));
  CHECK_MPI(open_with(path, MPI_MODE_RDONLY, MPI_INFO_NULL));
  CHECK_MPI(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
  CHECK_MPI(MPI_File_get_errhandler(file, &is_set));
  CHECK(is_set == MPI_ERRORS_RETURN);
  CHECK(MPI_File_write_at(file, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  CHECK_MPI(MPI_File_set_errhandler(file, own));
  CHECK(MPI_File_write_at(file, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  CHECK(handled == 1 && handled_amode == MPI_MODE_RDONLY);
  CHECK_MPI(MPI_File_call_errhandler(file, MPI_ERR_OTHER));
  CHECK(handled == 2);
  CHECK_MPI(MPI_File_close(&file));
  MPI_Errhandler_free(&own);
}

/* Files that are open keep the handler that they began with; those that follow begin with another.
 */
static void files_begin_with_a_handler(const char* path) {
  MPI_Errhandler own;
  int data = 0;
  handled = 0;
  CHECK_MPI(MPI_File_create_errhandler(handler, &own));
  CHECK_MPI(open_with(path, MPI_MODE_RDONLY, MPI_INFO_NULL));
  CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, own));
  CHECK(MPI_File_write_at(file, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  CHECK(handled == 0);
  CHECK_MPI(MPI_File_close(&file));
  CHECK_MPI(open_with(path, MPI_MODE_RDONLY, MPI_INFO_NULL));
  CHECK(MPI_File_write_at_all(file, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  CHECK(handled == 1);
  CHECK_MPI(MPI_File_close(&file));
  CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  /* Not freed: MPICH counts a file too few that began with it, and would end the program. */
}

static void it_is_where_the_program_was(const char* path) {
  const char* name = strrchr(path, '/');
  char folder[4096], back[4096];
  snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
  CHECK(getcwd(back, sizeof back) != NULL);
  CHECK(chdir(folder) == 0);
  CHECK_MPI(open_with(name + 1, MPI_MODE_RDWR, MPI_INFO_NULL));
  CHECK(chdir("/") == 0);
  write_and_read_alone(0);
  write_and_read_all();
  CHECK_MPI(MPI_File_close(&file));
  CHECK(chdir(back) == 0);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  most_ranks_open_it_once(argv[1]);
  without_independent_calls_only_aggregators_do(argv[1]);
  it_is_found_without_its_name(argv[1]);
  it_is_found_in_another_place(argv[1]);
  it_is_appended_to(argv[1]);
  it_answers(argv[1]);
  a_view_is_moved(argv[1]);
  it_is_where_the_program_was(argv[1]);
  errors_are_handled(argv[1]);
  files_begin_with_a_handler(argv[1]);
  return check_end();
}
