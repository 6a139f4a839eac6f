// The exported MPI_File_* and PMPI_File_* names. Both lead to one implementation, because hosts
// differ in which of the two their Fortran bindings call.
#include "preload/entry_points.hpp"

#include <type_traits>

#include "mpi/real_mpi.hpp"
#include "preload/open_file_table.hpp"

namespace headrace::preload {
namespace {

template <class Other>
bool is_given(Other /*not a file*/) {
  return false;
}
bool is_given(MPI_File file) {
  return open_files().has_given(file);
}
bool is_given(MPI_File* file) {
  return file != nullptr && open_files().has_given(*file);
}

/// Whether it is the host that calls. The program may, too, while it is in the host: in an error
/// handler; but then by a handle of which the host knows nothing, if Headrace gave it one.
template <class First, class... Others>
bool is_from_host(First first, Others... /*others*/) {
  return mpi::InsideHost::active() && !is_given(first);
}

}  // namespace
}  // namespace headrace::preload

#define HEADRACE_EXPORT(symbol, name, parameters, arguments)                                     \
  extern "C" __attribute__((visibility("default"))) int symbol parameters {                      \
    return headrace::preload::is_from_host arguments ? headrace::mpi::real_mpi().name arguments  \
                                                     : headrace::preload::file_##name arguments; \
  }
#define HEADRACE_EXPORT_BOTH(name, parameters, arguments)       \
  HEADRACE_EXPORT(MPI_File_##name, name, parameters, arguments) \
  HEADRACE_EXPORT(PMPI_File_##name, name, parameters, arguments)

HEADRACE_INTERPOSED_FUNCTIONS(HEADRACE_EXPORT_BOTH)

extern "C" __attribute__((visibility("default"))) MPI_Fint MPI_File_c2f(MPI_File file) {
  return headrace::preload::file_c2f(file);
}
extern "C" __attribute__((visibility("default"))) MPI_Fint PMPI_File_c2f(MPI_File file) {
  return headrace::preload::file_c2f(file);
}
extern "C" __attribute__((visibility("default"))) MPI_File MPI_File_f2c(MPI_Fint file) {
  return headrace::preload::file_f2c(file);
}
extern "C" __attribute__((visibility("default"))) MPI_File PMPI_File_f2c(MPI_Fint file) {
  return headrace::preload::file_f2c(file);
}
