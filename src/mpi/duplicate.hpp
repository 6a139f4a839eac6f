// Copies of handles, and what is only found out by using one.
#pragma once

#include <mpi.h>

#include "mpi/datatype_handle.hpp"
#include "mpi/handles.hpp"

namespace headrace::mpi {

/// A duplicate that returns errors. Null where MPI cannot give one, which it tells every rank
/// alike. Collective.
CommHandle duplicate(MPI_Comm comm) noexcept;

/// A predefined datatype itself, a duplicate of any other: what MPI gives to those who ask for a
/// datatype that they must free unless it is predefined. MPI_DATATYPE_NULL where MPI fails.
DatatypeHandle duplicate_type(MPI_Datatype type) noexcept;

/// Whether `type` is a committed datatype. `comm` must return errors.
bool usable_in_communication(MPI_Datatype type, MPI_Comm comm) noexcept;

}  // namespace headrace::mpi
