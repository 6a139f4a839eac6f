// How the result of a call that Headrace served reaches the program.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/status.hpp"

namespace headrace::preload {

/// As the host leaves a status after `bytes` bytes. MPI_STATUS_IGNORE is left alone.
void fill_status(MPI_Status* status, std::int64_t bytes) noexcept;

/// MPI_SUCCESS, or the error class after the file's error handler has been called with it (which
/// may not return).
int raised(MPI_File file, const Status& status) noexcept;

}  // namespace headrace::preload
