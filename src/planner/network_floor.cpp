#include "planner/network_floor.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace headrace::planner {
namespace {

/// Bytes by window, then by node.
class Holdings {
 public:
  Holdings(std::int64_t windows, int nodes) : nodes_(nodes), bytes_(windows * nodes) {}

  std::int64_t& of(std::int64_t window, int node) { return bytes_[window * nodes_ + node]; }
  std::int64_t windows() const { return std::ssize(bytes_) / nodes_; }
  std::int64_t total(std::int64_t window) const {
    return std::accumulate(begin(window), begin(window) + nodes_, std::int64_t{0});
  }
  std::int64_t most(std::int64_t window) const {
    return *std::max_element(begin(window), begin(window) + nodes_);
  }

 private:
  std::vector<std::int64_t>::const_iterator begin(std::int64_t window) const {
    return bytes_.begin() + window * nodes_;
  }

  int nodes_;
  std::vector<std::int64_t> bytes_;
};

Holdings holdings(const workload::Workload& workload, const plan::NodeMap& nodes,
                  std::int64_t window) {
  Holdings held((workload.call_stride() + window - 1) / window, nodes.node_count());
  for (int rank = 0; rank < workload.ranks(); ++rank) {
    const plan::Pattern pattern(workload.file(rank));
    std::int64_t below = 0;
    for (std::int64_t w = pattern.span().begin / window; below < pattern.size(); ++w) {
      const std::int64_t next = pattern.bytes_below((w + 1) * window);
      held.of(w, nodes.node_of(rank)) += next - below;
      below = next;
    }
  }
  return held;
}

}  // namespace

AcrossNodes bytes_across_nodes(const workload::Workload& workload, const plan::NodeMap& nodes,
                               std::int64_t window) {
  Holdings held = holdings(workload, nodes, window);
  AcrossNodes across;
  for (std::int64_t w = 0; w < held.windows(); ++w) {
    const auto even_owner = static_cast<int>(w * nodes.node_count() / held.windows());
    across.least_bytes += held.total(w) - held.most(w);
    across.even_bytes += held.total(w) - held.of(w, even_owner);
  }
  return across;
}

}  // namespace headrace::planner
