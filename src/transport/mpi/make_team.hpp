// From a communicator to a team: which ranks share a node, and how all of them talk.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/status.hpp"
#include "transport/team.hpp"

namespace headrace::transport {

/// Collective over `comm`, which stays the caller's, must return errors and outlive the team; as
/// long as there is one, nothing else sends on it.
///
/// Ranks of one machine are a node: those whose hosts have one name and were started at one time.
/// HEADRACE_RANKS_PER_NODE=n, as the first rank of each machine has it, cuts these into blocks of n
/// ranks. Where shared memory cannot be had, all ranks agree that each is a node of its own, and
/// one of them says why. MPI_COMM_TYPE_SHARED would say the same, and take as long as all the rest.
///
/// Fails only if MPI does, and then on all ranks, unless MPI fails to tell them. To destroy a team
/// is collective too, and no rank may do so before all have left the last collective call on it
/// (transport/node_memory.hpp).
Result<std::unique_ptr<Team>> make_team(MPI_Comm comm);

}  // namespace headrace::transport
