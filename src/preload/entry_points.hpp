// What Headrace does for each MPI_File function that it takes over: file_open, file_close, ...
// Arguments and results are those of the MPI function of the same name; none throws.
#pragma once

#include "mpi/file_functions.hpp"
#include "mpi/real_mpi.hpp"

namespace headrace::preload {

#define HEADRACE_DECLARE(name, parameters, arguments) int file_##name parameters noexcept;
HEADRACE_INTERPOSED_FUNCTIONS(HEADRACE_DECLARE)
#undef HEADRACE_DECLARE

MPI_Fint file_c2f(MPI_File file) noexcept;
MPI_File file_f2c(MPI_Fint file) noexcept;

/// A call of the host's function MPI_File_<name>: of its handle, with these arguments behind it.
#define HEADRACE_HOST(name, ...) \
  [&](MPI_File host) { return mpi::call_host(mpi::real_mpi().name, host, __VA_ARGS__); }

}  // namespace headrace::preload
