// Decoded datatypes, kept as an attribute on the datatype: they live as long as it does, a
// duplicate shares them, and MPI drops them when the last reference goes. Thread-safe.
#pragma once

#include <mpi.h>

#include "mpi/datatype.hpp"

namespace headrace::mpi {

/// nullptr: not cached.
DatatypePtr cached_datatype(MPI_Datatype type);

/// Caches `datatype` on `type` unless another thread was faster, and gives what is now cached.
/// Where it cannot be kept (MPI_Finalize has begun), `datatype` itself.
DatatypePtr cache_datatype(MPI_Datatype type, DatatypePtr datatype);

}  // namespace headrace::mpi
