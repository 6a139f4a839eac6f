// A communicator of Headrace's own.
#pragma once

#include <mpi.h>

#include "mpi/handles.hpp"

namespace headrace::mpi {

/// A duplicate that returns errors. Null where MPI cannot give one, which it tells every rank
/// alike. Collective.
CommHandle duplicate(MPI_Comm comm) noexcept;

}  // namespace headrace::mpi
