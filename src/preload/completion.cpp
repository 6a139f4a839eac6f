#include "preload/completion.hpp"

#include "base/log.hpp"
#include "mpi/errors.hpp"
#include "mpi/large_count.hpp"
#include "mpi/real_mpi.hpp"

namespace headrace::preload {

void fill_status(MPI_Status* status, std::int64_t bytes) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  const Status filled = mpi::set_status_bytes(*status, bytes);
  if (!filled.ok() || MPI_Status_set_cancelled(status, 0) != MPI_SUCCESS)
    log_warning("cannot fill an MPI_Status: {}", filled.message());
}

int raised(MPI_File file, const Status& status) noexcept {
  if (status.ok()) return MPI_SUCCESS;
  const int code = mpi::mpi_error_class(status.error_class());
  // Not by call_host: a handler is the program's own code, and what it calls is taken over again.
  const int called = mpi::real_mpi().call_errhandler(file, code);
  return called == MPI_SUCCESS ? code : called;
}

}  // namespace headrace::preload
