/* A program that uses up its file descriptors: memory of the node is mapped all the same, and what
 * needs none goes on. Each rank in turn has none from its view on. Served per rank: 2 for each.
 *
 * What does need one fails, on all ranks or, of an independent call, on that one: at least two
 * ranks. */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

enum { blocks = 1000, block = 16, bytes = blocks * block, most = 256 };

static int taken[most];
static int taken_count = 0;

static void limit_descriptors(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = most;
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void take_all(void) {
  for (int fd; taken_count < most && (fd = open("/dev/null", O_RDONLY)) >= 0;)
    taken[taken_count++] = fd;
  CHECK(open("/dev/null", O_RDONLY) < 0);
}

static void set_view(MPI_File file) {
  MPI_Datatype type;
  CHECK_MPI(MPI_Type_vector(blocks, block, block * check_size, MPI_BYTE, &type));
  CHECK_MPI(MPI_Type_commit(&type));
  CHECK_MPI(MPI_File_set_view(file, (MPI_Offset)block * check_rank, MPI_BYTE, type, "native",
                              MPI_INFO_NULL));
  MPI_Type_free(&type);
}

static void give_back(void) {
  while (taken_count > 0) close(taken[--taken_count]);
}

static void with_none_on(int who, MPI_Comm comm, const char* path) {
  char out[bytes], in[bytes];
  memset(out, 'a' + check_rank, bytes);
  MPI_File file = check_open(comm, path, MPI_INFO_NULL);
  set_view(file);
  if (check_rank == who) take_all();
  CHECK_MPI(MPI_File_write_all(file, out, bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_read_at_all(file, 0, in, bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(memcmp(in, out, bytes) == 0);
  give_back();
  CHECK_MPI(MPI_File_close(&file));
}

static void none_to_open_with(const char* path) {
  const int last = check_size - 1;
  MPI_File file = MPI_FILE_NULL;
  if (check_rank == last) take_all();
  CHECK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file) != MPI_SUCCESS);
  CHECK(file == MPI_FILE_NULL);
  give_back();
}

/* Collective calls are the host's, which has not opened the file on that rank. */
static void none_for_the_host(const char* path) {
  const int last = check_size - 1;
  char out[bytes] = {0};
  MPI_File file;
  MPI_Info info;
  MPI_Request request;
  CHECK_MPI(MPI_Info_create(&info));
  CHECK_MPI(MPI_Info_set(info, "romio_cb_write", "disable"));
  CHECK_MPI(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, info, &file));
  if (check_rank == last) take_all();
  CHECK(MPI_File_write_at_all(file, (MPI_Offset)bytes * check_rank, out, bytes, MPI_BYTE,
                              MPI_STATUS_IGNORE) != MPI_SUCCESS);
  if (check_rank == last) {
    CHECK(MPI_File_iwrite_at(file, 0, out, 1, MPI_BYTE, &request) != MPI_SUCCESS);
    CHECK(MPI_File_write_at(file, 0, out, 1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  }
  give_back();
  CHECK_MPI(MPI_File_write_at(file, 0, out, 1, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_File_close(&file));
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  limit_descriptors();
  for (int who = 0; who < check_size; ++who) {
    MPI_Comm comm; /* of its own, so that nothing is mapped yet */
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    with_none_on(who, comm, argv[1]);
    MPI_Comm_free(&comm);
  }
  none_to_open_with(argv[1]);
  none_for_the_host(argv[1]);
  return check_end();
}
