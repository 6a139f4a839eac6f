#include "mpi/duplicate.hpp"

#include "mpi/type_contents.hpp"

namespace headrace::mpi {

CommHandle duplicate(MPI_Comm comm) noexcept {
  CommHandle copy;
  if (MPI_Comm_dup(comm, copy.out()) != MPI_SUCCESS) return {};
  if (MPI_Comm_set_errhandler(copy.get(), MPI_ERRORS_RETURN) != MPI_SUCCESS) return {};
  return copy;
}

DatatypeHandle duplicate_type(MPI_Datatype type) noexcept {
  const Result<bool> predefined = is_predefined(type);
  if (!predefined.ok()) return {};
  if (*predefined) return DatatypeHandle::borrowed(type);
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  if (MPI_Type_dup(type, &copy) != MPI_SUCCESS) return {};
  return DatatypeHandle::owned(copy);
}

/// MPI has no question for "is it committed?", but a send to nobody checks just that, and reads no
/// byte of its buffer.
bool usable_in_communication(MPI_Datatype type, MPI_Comm comm) noexcept {
  const char nothing = 0;
  return type != MPI_DATATYPE_NULL &&
         MPI_Send(&nothing, 1, type, MPI_PROC_NULL, 0, comm) == MPI_SUCCESS;
}

}  // namespace headrace::mpi
