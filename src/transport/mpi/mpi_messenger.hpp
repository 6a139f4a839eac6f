// A messenger over MPI's two-sided and nonblocking collective calls.
#pragma once

#include <memory>

#include "base/status.hpp"
#include "mpi/handles.hpp"
#include "transport/messenger.hpp"

namespace headrace::transport {

/// `comm`: a communicator that nothing else uses; its ranks are the messenger's. `leaders`: one of
/// the node leaders alone, MPI_COMM_NULL on the other ranks. Both are owned by the messenger, and
/// their errors are returned from now on. Local.
///
/// After a failure, buffers of operations that were under way may still be in MPI's hands: the
/// standard leaves no way to take them back.
Result<std::unique_ptr<Messenger>> make_mpi_messenger(mpi::CommHandle comm,
                                                      mpi::CommHandle leaders);

}  // namespace headrace::transport
