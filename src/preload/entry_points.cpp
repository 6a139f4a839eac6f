// The exported MPI_File_* and PMPI_File_* names. Both lead to one implementation, because hosts
// differ in which of the two their Fortran bindings call.
#include "preload/entry_points.hpp"

#include "mpi/real_mpi.hpp"

#define HEADRACE_EXPORT(symbol, name, parameters, arguments)                                  \
  extern "C" __attribute__((visibility("default"))) int symbol parameters {                   \
    if (headrace::mpi::InsideHost::active()) return headrace::mpi::real_mpi().name arguments; \
    return headrace::preload::file_##name arguments;                                          \
  }
#define HEADRACE_EXPORT_BOTH(name, parameters, arguments)       \
  HEADRACE_EXPORT(MPI_File_##name, name, parameters, arguments) \
  HEADRACE_EXPORT(PMPI_File_##name, name, parameters, arguments)

HEADRACE_INTERPOSED_FUNCTIONS(HEADRACE_EXPORT_BOTH)
