// Node memory between the processes of one machine.
#pragma once

#include <memory>
#include <span>

#include "base/status.hpp"
#include "transport/node_memory.hpp"
#include "transport/shm/shared_file.hpp"

namespace headrace::transport {

/// What a rank tells the others of its node about its file. Plain data.
struct ShmPeer {
  FileLocation file;
  /// Bytes from the start of one region to the next; the control area comes before region 0.
  std::int64_t stride = 0;
};

/// What the rank that made `file` tells.
ShmPeer shm_peer(const SharedFile& file);

/// The memory of a node whose ranks have told `peers`, in rank order, for its rank `rank`, which
/// has made `own` and gives it away, but for its name. Local. None may use the memory, nor may a
/// name go, before all ranks have joined; where one fails, all must let go.
///
/// Each rank keeps one file descriptor open (one per peer where files are named), and nothing is
/// left behind in any file system however the processes end, but for a death while there are names.
Result<std::unique_ptr<NodeMemory>> join_shm_node(SharedFile& own, int rank,
                                                  std::span<const ShmPeer> peers);

}  // namespace headrace::transport
