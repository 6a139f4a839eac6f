/* Says where each rank is: "<rank> <host> <rank in node> of <ranks in node>". Fails if shared
 * memory that a node makes is seen on another. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

static const char name[] = "/headrace-cluster-test";
static const key_t key = 0x48656164;

static int complain(const char* what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  return 1;
}

/* Both kinds of shared memory, which must not be there yet: all nodes make them at once. */
static int make_shared_memory(int* segment) {
  const int file = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
  *segment = shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0600);
  const int failed = (file < 0 && complain("shm_open")) + (*segment < 0 && complain("shmget"));
  if (file >= 0) close(file);
  return failed;
}

static int remove_shared_memory(int segment) {
  return (shm_unlink(name) != 0 && complain("shm_unlink")) +
         (shmctl(segment, IPC_RMID, NULL) != 0 && complain("shmctl"));
}

static int shared_memory_is_seen(int is_first_on_node) {
  int segment = -1;
  int failed = is_first_on_node ? make_shared_memory(&segment) : 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (is_first_on_node) failed += remove_shared_memory(segment);
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return failed != 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm node;
  int rank, rank_in_node, ranks_in_node;
  char host[256];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank_in_node);
  MPI_Comm_size(node, &ranks_in_node);
  gethostname(host, sizeof host);
  printf("%d %s %d of %d\n", rank, host, rank_in_node, ranks_in_node);
  fflush(stdout);
  const int failed = shared_memory_is_seen(rank_in_node == 0);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return failed;
}
