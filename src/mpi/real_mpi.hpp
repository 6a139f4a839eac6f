// The host MPI's own MPI_File functions, behind the names that Headrace exports itself.
#pragma once

#include <mpi.h>

#include <utility>

#include "mpi/file_functions.hpp"

namespace headrace::mpi {

/// Pointers to the host's PMPI_File_* functions. None is null: what the host lacks is replaced by
/// a function that returns MPI_ERR_UNSUPPORTED_OPERATION, or no handle.
struct RealMpi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration takes none
#define HEADRACE_MEMBER(name, parameters, arguments) int(*name) parameters;
  HEADRACE_INTERPOSED_FUNCTIONS(HEADRACE_MEMBER)
#undef HEADRACE_MEMBER
  MPI_Fint (*c2f)(MPI_File file);
  MPI_File (*f2c)(MPI_Fint file);
};

/// Whether the host moves what a nonblocking collective call asks for, and better than one rank
/// could by itself. Open MPI's OMPIO makes independent accesses of them and hangs in reads of an
/// empty file; its ROMIO calls a null pointer (both 4.1.4).
#ifdef OPEN_MPI
constexpr bool host_makes_nonblocking_collectives = false;
#else
constexpr bool host_makes_nonblocking_collectives = true;
#endif

/// Resolved at the first call; complains once on stderr if the host's functions cannot be found.
/// Thread-safe.
const RealMpi& real_mpi() noexcept;

/// Marks this thread as being inside the host MPI. Calls that the host then makes to the names
/// Headrace exports are its own business and pass straight through. Nests.
class InsideHost {
 public:
  InsideHost() noexcept { ++depth; }
  ~InsideHost() { --depth; }
  InsideHost(const InsideHost&) = delete;
  InsideHost& operator=(const InsideHost&) = delete;

  static bool active() noexcept { return depth > 0; }

 private:
  static thread_local int depth;
};

/// Calls a function of the host, from outside it.
template <class Function, class... Arguments>
int call_host(Function* function, Arguments... arguments) {
  const InsideHost inside;
  return function(arguments...);
}

}  // namespace headrace::mpi
