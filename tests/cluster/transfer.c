/* transfer BYTES: all ranks send as many to rank 0 at once, then rank 0 sends as many to each.
 * Says how long each took: "in <seconds>", "out <seconds>". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Rank 0's side of both; it has room for each of the others. */
static double move_all(int ranks, int bytes, int is_inward) {
  MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)ranks);
  char* buffer = calloc((size_t)ranks, (size_t)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int peer = 1; peer < ranks; ++peer) {
    char* place = buffer + (size_t)peer * (size_t)bytes;
    if (is_inward) {
      MPI_Irecv(place, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[peer - 1]);
    } else {
      MPI_Issend(place, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[peer - 1]);
    }
  }
  for (int peer = 1; peer < ranks; ++peer) MPI_Wait(&requests[peer - 1], MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  free(buffer);
  free(requests);
  return seconds;
}

static void move_own(int bytes, int is_inward) {
  char* buffer = calloc(1, (size_t)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  if (is_inward) {
    MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  free(buffer);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int bytes = argc > 1 ? atoi(argv[1]) : 1;
  for (int is_inward = 1; is_inward >= 0; --is_inward) {
    if (rank == 0) {
      printf("%s %.4f\n", is_inward ? "in" : "out", move_all(ranks, bytes, is_inward));
    } else {
      move_own(bytes, is_inward);
    }
  }
  MPI_Finalize();
  return 0;
}
