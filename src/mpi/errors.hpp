// Between Headrace's classes of error and those of MPI. Thread-safe, as MPI is.
#pragma once

#include "base/status.hpp"

namespace headrace::mpi {

/// MPI_SUCCESS, MPI_ERR_NO_SPACE, ...
int mpi_error_class(ErrorClass error_class) noexcept;

/// OK for MPI_SUCCESS; else "<what>: <MPI_Error_string>", with the class of the error code, which
/// is `other` for the classes that Headrace does not tell apart.
Status status_of_mpi(int code, const char* what);

}  // namespace headrace::mpi
