// From a communicator to a team: which ranks share a node, and how all of them talk.
#pragma once

#include <memory>

#include "base/status.hpp"
#include "mpi/handles.hpp"
#include "transport/team.hpp"

namespace headrace::transport {

/// Collective over `comm`, which nothing else may use afterwards: the team owns it, or it is freed
/// where the team needs no messages. Its errors are returned from now on.
///
/// Ranks that MPI_COMM_TYPE_SHARED puts together are a node. HEADRACE_RANKS_PER_NODE=n, as rank 0
/// has it, cuts each of these into blocks of n ranks. Where shared memory cannot be had, all ranks
/// agree that each is a node of its own, and one of them says why.
///
/// Fails only if MPI does. To destroy a team is collective too, and no rank may do so before all
/// have left the last collective call on it (transport/node_memory.hpp).
Result<std::unique_ptr<Team>> make_team(mpi::CommHandle comm);

}  // namespace headrace::transport
