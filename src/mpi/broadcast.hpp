// Text from rank 0 to everybody.
#pragma once

#include <mpi.h>

#include <string>

#include "base/status.hpp"

namespace headrace::mpi {

/// Rank 0's text, on every rank, in `text`; unspecified after an error. Collective.
Status broadcast(MPI_Comm comm, std::string& text);

}  // namespace headrace::mpi
