/* Rank 0 prints the variables that reached it; every rank exits with the status in argv[1]. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void show(const char* name) {
  const char* value = getenv(name);
  if (value) printf("%s=%s\n", name, value);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) {
    printf("ranks=%d\n", ranks);
    show("HEADRACE_HINTS");
    show("HEADRACE_RANKS_PER_NODE");
    show("HEADRACE_STATS");
    show("HEADRACE_REPORT");
  }
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
