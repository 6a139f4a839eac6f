#include "mpi/real_mpi.hpp"
#include "preload/entry_points.hpp"

namespace headrace::preload {
#define HEADRACE_PASS(name, parameters, arguments) \
  int file_##name parameters noexcept {            \
    const mpi::InsideHost inside;                  \
    return mpi::real_mpi().name arguments;         \
  }
HEADRACE_INTERPOSED_FUNCTIONS(HEADRACE_PASS)
}  // namespace headrace::preload
