// The layouts of the predefined datatypes.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/status.hpp"
#include "plan/layout.hpp"

namespace headrace::mpi {

/// `size`: what MPI_Type_size says of it.
Result<plan::PlacedLayout> predefined_layout(MPI_Datatype type, std::int64_t size);

}  // namespace headrace::mpi
