#include "preload/completion.hpp"

#include <cstdint>
#include <new>

#include "base/log.hpp"
#include "mpi/errors.hpp"
#include "mpi/large_count.hpp"
#include "mpi/real_mpi.hpp"
#include "preload/open_file_table.hpp"

namespace headrace::preload {
namespace {

int raised_class(MPI_File file, int error_class) noexcept {
  const auto known = open_files().find(file);
  // The error handler is still the one that files begin with, which does nothing.
  if (known != nullptr && !known->host().is_open()) return error_class;
  // Not by call_host: a handler is the program's own code, and what it calls is taken over again.
  const int called = mpi::real_mpi().call_errhandler(host_handle(file, known), error_class);
  return called == MPI_SUCCESS ? error_class : called;
}

/// The functions of a generalized request (MPI 4.0, section 13.2) whose state is a number of bytes.
int tell_bytes(void* state, MPI_Status* status) {
  fill_status(status, *static_cast<const std::int64_t*>(state));
  return MPI_SUCCESS;
}

int free_bytes(void* state) {
  delete static_cast<std::int64_t*>(state);
  return MPI_SUCCESS;
}

int cancel_nothing(void* /*state*/, int /*is_complete*/) {
  return MPI_SUCCESS;
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

int completed(MPI_File file, const engine::Outcome& outcome, MPI_Request* request) noexcept {
  *request = MPI_REQUEST_NULL;
  if (!outcome.status.ok()) return raised(file, outcome.status);
  auto* bytes = new (std::nothrow) std::int64_t(outcome.bytes);
  if (bytes == nullptr) return raised(file, {ErrorClass::no_memory, "no memory for a request"});
  int code = MPI_Grequest_start(tell_bytes, free_bytes, cancel_nothing, bytes, request);
  if (code != MPI_SUCCESS) delete bytes;
  if (code == MPI_SUCCESS) code = MPI_Grequest_complete(*request);
  return code == MPI_SUCCESS ? code : raised(file, mpi::status_of_mpi(code, "a request"));
}

int refused(MPI_File file, OpenFile& known, std::string_view call, engine::Veto why) noexcept {
  known.tell_refusal(call, why);
  return raised_class(
      file, why == engine::Veto::invalid_arguments ? MPI_ERR_ARG : MPI_ERR_UNSUPPORTED_OPERATION);
}

}  // namespace headrace::preload
