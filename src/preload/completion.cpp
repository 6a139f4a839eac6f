#include "preload/completion.hpp"

#include "base/log.hpp"
#include "mpi/errors.hpp"
#include "mpi/large_count.hpp"
#include "mpi/real_mpi.hpp"

namespace headrace::preload {
namespace {

int raised_class(MPI_File file, int error_class) noexcept {
  // Not by call_host: a handler is the program's own code, and what it calls is taken over again.
  const int called = mpi::real_mpi().call_errhandler(file, error_class);
  return called == MPI_SUCCESS ? error_class : called;
}

}  // namespace

void fill_status(MPI_Status* status, std::int64_t bytes) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  const Status filled = mpi::set_status_bytes(*status, bytes);
  if (!filled.ok() || MPI_Status_set_cancelled(status, 0) != MPI_SUCCESS)
    log_warning("cannot fill an MPI_Status: {}", filled.message());
}

int raised(MPI_File file, const Status& status) noexcept {
  if (status.ok()) return MPI_SUCCESS;
  return raised_class(file, mpi::mpi_error_class(status.error_class()));
}

int completed(MPI_File file, const engine::Outcome& outcome, MPI_Status* status) noexcept {
  fill_status(status, outcome.bytes);
  return raised(file, outcome.status);
}

int refused(MPI_File file, OpenFile& known, std::string_view call, engine::Veto why) noexcept {
  known.tell_refusal(call, why);
  return raised_class(
      file, why == engine::Veto::invalid_arguments ? MPI_ERR_ARG : MPI_ERR_UNSUPPORTED_OPERATION);
}

}  // namespace headrace::preload
