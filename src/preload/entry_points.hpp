// What Headrace does for each MPI_File function that it takes over: file_open, file_close, ...
// Arguments and results are those of the MPI function of the same name; none throws.
#pragma once

#include "mpi/file_functions.hpp"

namespace headrace::preload {

#define HEADRACE_DECLARE(name, parameters, arguments) int file_##name parameters noexcept;
HEADRACE_INTERPOSED_FUNCTIONS(HEADRACE_DECLARE)
#undef HEADRACE_DECLARE

}  // namespace headrace::preload
