// How the result of a call that Headrace served reaches the program.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string_view>

#include "base/status.hpp"
#include "engine/collective_file.hpp"
#include "preload/open_file.hpp"

namespace headrace::preload {

/// As the host leaves a status after `bytes` bytes. MPI_STATUS_IGNORE is left alone.
void fill_status(MPI_Status* status, std::int64_t bytes) noexcept;

/// MPI_SUCCESS, or the error class after the file's error handler has been called with it (which
/// may not return).
int raised(MPI_File file, const Status& status) noexcept;

/// The result of a call that Headrace served: fills the status, and raises what went wrong.
int completed(MPI_File file, const engine::Outcome& outcome, MPI_Status* status) noexcept;

/// The same for a call that gives a request: one that is complete, and tells the bytes when it is
/// waited for. Errors are raised at once, and then the request is null.
int completed(MPI_File file, const engine::Outcome& outcome, MPI_Request* request) noexcept;

/// The error of a call that needs a view which the host was not given, and that Headrace cannot
/// serve, for the reason `why`: MPI_ERR_ARG for invalid arguments, else
/// MPI_ERR_UNSUPPORTED_OPERATION.
int refused(MPI_File file, OpenFile& known, std::string_view call, engine::Veto why) noexcept;

}  // namespace headrace::preload
