// A messenger over MPI's two-sided and nonblocking collective calls.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/status.hpp"
#include "mpi/handles.hpp"
#include "transport/messenger.hpp"

namespace headrace::transport {

/// `comm`: a communicator on which nothing else sends, and that outlives the messenger; its ranks
/// are the messenger's, and it returns errors. `leaders`: one of the node leaders alone,
/// MPI_COMM_NULL on the other ranks; its errors are returned from now on. Local.
///
/// After a failure, buffers of operations that were under way may still be in MPI's hands: the
/// standard leaves no way to take them back.
Result<std::unique_ptr<Messenger>> make_mpi_messenger(MPI_Comm comm, mpi::CommHandle leaders);

}  // namespace headrace::transport
