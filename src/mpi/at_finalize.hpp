// The one hook into MPI_Finalize that needs nobody to call it.
#pragma once

#include <mpi.h>

namespace headrace::mpi {

/// Has `function` called when MPI_Finalize begins, while MPI still works: it deletes the attributes
/// of MPI_COMM_SELF before anything else (MPI 4.0, section 11.2.4). False if MPI refuses. May be
/// called by one thread at a time.
bool call_at_finalize(MPI_Comm_delete_attr_function* function);

}  // namespace headrace::mpi
