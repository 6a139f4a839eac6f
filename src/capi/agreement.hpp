// How the ranks of a file come to one result where the engine is not asked.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace headrace::capi {

/// The result of a call of the C API: an MPI error class, and a sentence unless it is MPI_SUCCESS.
struct [[nodiscard]] Verdict {
  int error_class = MPI_SUCCESS;
  std::string message;

  bool ok() const noexcept { return error_class == MPI_SUCCESS; }
};

Verdict verdict_of(const Status& status);
/// Of a return code of MPI; `call` is the name of the function.
Verdict verdict_of_mpi(int code, const char* call);

/// The greatest error class of all ranks with its message, the same on every rank: MPI_SUCCESS only
/// if every rank brings it. Collective; no rank returns before all have entered.
Verdict agree(MPI_Comm comm, const Verdict& mine);

/// MPI_ERR_NOT_SAME unless all ranks bring one value; `what` names it. Collective.
Verdict agree_on_value(MPI_Comm comm, std::int64_t value, const char* what);

}  // namespace headrace::capi
