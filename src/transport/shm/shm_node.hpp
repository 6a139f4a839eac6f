// Node memory between the processes of one machine.
#pragma once

#include <memory>
#include <vector>

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

/// How the ranks of a node talk while they set up their memory: by the caller's means, so that
/// this folder needs no MPI. Both calls are collective; none may be left out on any rank.
class ShmExchange {
 public:
  virtual ~ShmExchange() = default;
  /// What every rank of the node gave, in rank order.
  virtual Result<std::vector<ShmPeer>> gather(const ShmPeer& mine) = 0;
  /// True if it is on every rank. It may ask more ranks than the node's: they then all agree.
  virtual bool all(bool mine) = 0;
};

/// Collective over the ranks of the exchange, and so is its success. Each rank keeps one file
/// descriptor open (one per peer where /proc is closed), and nothing is left behind in any file
/// system however the processes end, but for a death in the midst of this call where /proc is
/// closed.
Result<std::unique_ptr<NodeMemory>> make_shm_node(int rank, int size, ShmExchange& exchange);

}  // namespace headrace::transport
