#include "mpi/duplicate.hpp"

namespace headrace::mpi {

CommHandle duplicate(MPI_Comm comm) noexcept {
  CommHandle copy;
  if (MPI_Comm_dup(comm, copy.out()) != MPI_SUCCESS) return {};
  if (MPI_Comm_set_errhandler(copy.get(), MPI_ERRORS_RETURN) != MPI_SUCCESS) return {};
  return copy;
}

}  // namespace headrace::mpi
