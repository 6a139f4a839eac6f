// From a communicator to a team: which ranks share a node, and how all of them talk.
#pragma once

#include <memory>

#include "base/status.hpp"
#include "engine/collective_file.hpp"
#include "mpi/handles.hpp"

namespace headrace::mpi {

/// Collective over `comm`, which nothing else may use afterwards: the team owns it, or it is freed
/// where the team needs no messages. Its errors are returned from now on.
///
/// Ranks that MPI_COMM_TYPE_SHARED puts together are a node. HEADRACE_RANKS_PER_NODE=n, as rank 0
/// has it, cuts each of these into blocks of n ranks. Where shared memory cannot be had, all ranks
/// agree that each is a node of its own, and one of them says why.
///
/// Fails only if MPI does. To destroy a team is collective too, and no rank may do so before all
/// have left the last collective call on it (transport/node_memory.hpp).
Result<std::unique_ptr<engine::Team>> make_team(CommHandle comm);

}  // namespace headrace::mpi
