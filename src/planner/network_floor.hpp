// What must cross the network in one call, whatever method serves it.
#pragma once

#include <cstdint>

#include "plan/node_map.hpp"
#include "workload/workload.hpp"

namespace headrace::planner {

struct AcrossNodes {
  /// Where each piece is written by the node that holds most of its bytes.
  std::int64_t least_bytes = 0;
  /// Where the file domains are even, one a node, as without knowledge of where the data is.
  std::int64_t even_bytes = 0;
};

/// `piece`: bytes that one node writes together. O(pieces * nodes) memory.
AcrossNodes bytes_across_nodes(const workload::Workload& workload, const plan::NodeMap& nodes,
                               std::int64_t piece);

}  // namespace headrace::planner
