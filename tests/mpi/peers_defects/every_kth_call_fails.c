/* The k-th read or write of the file fails on one rank, for every k until none is left: the error
 * is the same class on every rank, or, for an interrupted or short call, there is none and the
 * bytes are right; and afterwards the open file works. Needs the shim support/faulty_io.c. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>

#include "support/faulty_io.h"
#include "support/mpi_program.h"

enum { block = 24, used = 16, blocks = 12, bytes_per_rank = used * blocks };

static faulty_io_arm_function arm;
static faulty_io_disarm_function disarm;
static const char* path;
static MPI_File file;

/* What goes wrong, and the class that every rank shall see. */
struct Fault {
  const char* name;
  int error;
  int error_class;
};
static const struct Fault faults[] = {{"ENOSPC", ENOSPC, MPI_ERR_NO_SPACE},
                                      {"EIO", EIO, MPI_ERR_IO},
                                      {"EDQUOT", EDQUOT, MPI_ERR_QUOTA},
                                      {"EINTR", EINTR, MPI_SUCCESS},
                                      {"short", 0, MPI_SUCCESS}};
static const int fault_count = sizeof faults / sizeof faults[0];

static char file_byte(long offset, char generation) {
  return offset % block < used ? (char)(generation + offset / block % ranks) : '.';
}

/* Blocks of `used` bytes with holes between them, by turns of the ranks. */
static void set_holey_view(void) {
  MPI_Datatype filetype;
  REQUIRE(MPI_Type_vector(blocks, used, block * ranks, MPI_BYTE, &filetype));
  REQUIRE(MPI_Type_commit(&filetype));
  REQUIRE(MPI_File_set_view(file, rank * block, MPI_BYTE, filetype, "native", MPI_INFO_NULL));
  MPI_Type_free(&filetype);
}

static int write_all(char generation) {
  char bytes[bytes_per_rank];
  memset(bytes, generation + rank, sizeof bytes);
  return MPI_File_write_at_all(file, 0, bytes, bytes_per_rank, MPI_BYTE, MPI_STATUS_IGNORE);
}

static int read_all(char generation, int check) {
  char bytes[bytes_per_rank];
  memset(bytes, 0, sizeof bytes);
  const int code =
      MPI_File_read_at_all(file, 0, bytes, bytes_per_rank, MPI_BYTE, MPI_STATUS_IGNORE);
  for (int i = 0; check && code == MPI_SUCCESS && i < bytes_per_rank; ++i) {
    EXPECT(bytes[i] == generation + rank, "byte %d read: expected %d, got %d", i, generation + rank,
           bytes[i]);
  }
  return code;
}

static void check_file(char generation, const char* when) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    char all[block * blocks * 64];
    const long size = (long)block * blocks * ranks;
    EXPECT(load_file(path, all, sizeof all) == size, "%s: the file's size changed", when);
    for (long i = 0; i < size; ++i) {
      EXPECT(all[i] == file_byte(i, generation), "%s: offset %ld: expected %c, got %c", when, i,
             file_byte(i, generation), all[i]);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void check_class(int code, int expected, const char* when) {
  EXPECT(class_of(code) == expected, "%s: class %d, not %d", when, class_of(code), expected);
}

/* Whether the k-th call was made at all. */
static int run_with_fault(const struct Fault* fault, int faulty_rank, int k, int writing) {
  char when[128];
  snprintf(when, sizeof when, "%s of the %d-th call of rank %d while %s", fault->name, k,
           faulty_rank, writing ? "writing" : "reading");
  REQUIRE(write_all('a'));
  if (rank == faulty_rank) arm(path, k, fault->error);
  const int code = writing ? write_all('A') : read_all('a', fault->error_class == MPI_SUCCESS);
  int happened = rank == faulty_rank ? disarm() : 0;
  REQUIRE(MPI_Allreduce(MPI_IN_PLACE, &happened, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  check_class(code, happened ? fault->error_class : MPI_SUCCESS, when);
  if (code == MPI_SUCCESS) check_file(writing ? 'A' : 'a', when);
  check_class(write_all('0'), MPI_SUCCESS, "the call after the fault");
  check_file('0', "after the fault");
  check_class(read_all('0', 1), MPI_SUCCESS, "the read after the fault");
  return happened;
}

static void run_all_faults(int writing) {
  int faults_seen = 0;
  for (int f = 0; f < fault_count; ++f) {
    if (!writing && (faults[f].error == ENOSPC || faults[f].error == EDQUOT)) continue;
    for (int faulty_rank = 0; faulty_rank < ranks; ++faulty_rank) {
      for (int k = 1; run_with_fault(&faults[f], faulty_rank, k, writing); ++k) ++faults_seen;
    }
  }
  EXPECT(faults_seen > 0, "no fault ever happened");
  if (rank == 0) printf("%s: %d faults\n", writing ? "writing" : "reading", faults_seen);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, 120);
  arm = (faulty_io_arm_function)dlsym(RTLD_DEFAULT, "faulty_io_arm");
  disarm = (faulty_io_disarm_function)dlsym(RTLD_DEFAULT, "faulty_io_disarm");
  if (arm == NULL || disarm == NULL) {
    fprintf(stderr, "support/faulty_io.c is not preloaded\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  path = scratch("every_kth_call_fails");
  make_file(path, (long)block * blocks * ranks, '.');
  MPI_Info info = hint("cb_buffer_size", "256");
  REQUIRE(MPI_Info_set(info, "cb_config_list", "*:*"));
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, info, &file));
  MPI_Info_free(&info);
  set_holey_view();
  run_all_faults(1);
  run_all_faults(0);
  REQUIRE(MPI_File_close(&file));
  return end();
}
