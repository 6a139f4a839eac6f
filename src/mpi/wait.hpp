// Waiting for MPI on a machine with more ranks than cores.
#pragma once

#include <mpi.h>
#include <sched.h>

namespace headrace::mpi {

/// MPI_Wait that gives the core away whenever nothing has come: MPICH's own wait spins through its
/// time slice while the rank it waits for stands in the queue. Returns what MPI_Test returned.
inline int wait(MPI_Request& request) {
  for (;;) {
    int done = 0;
    const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || done) return code;
    sched_yield();
  }
}

}  // namespace headrace::mpi
