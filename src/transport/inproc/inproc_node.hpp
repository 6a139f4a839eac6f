// Node memory among the threads of one process: for tests, and for nodes of one rank.
#pragma once

#include <memory>

#include "transport/node_memory.hpp"

namespace headrace::transport {

/// One make-believe node. The NodeMemory objects it gives keep what they share alive; the node
/// itself may go first. Thread-safe.
class InprocNode {
 public:
  explicit InprocNode(int ranks);
  ~InprocNode();

  /// Rank `rank`'s side; once per rank.
  std::unique_ptr<NodeMemory> attach(int rank) const;

  struct Shared;

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace headrace::transport
