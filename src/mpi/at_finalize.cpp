#include "mpi/at_finalize.hpp"

namespace headrace::mpi {

bool call_at_finalize(MPI_Comm_delete_attr_function* function) {
  int hook = MPI_KEYVAL_INVALID;
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &hook, nullptr) != MPI_SUCCESS)
    return false;
  const bool set = MPI_Comm_set_attr(MPI_COMM_SELF, hook, nullptr) == MPI_SUCCESS;
  return MPI_Comm_free_keyval(&hook) == MPI_SUCCESS && set;
}

}  // namespace headrace::mpi
