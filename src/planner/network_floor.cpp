#include "planner/network_floor.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace headrace::planner {
namespace {

/// Bytes by piece, then by node.
class Holdings {
 public:
  Holdings(std::int64_t pieces, int nodes) : nodes_(nodes), bytes_(pieces * nodes) {}

  std::int64_t& of(std::int64_t piece, int node) { return bytes_[piece * nodes_ + node]; }
  std::int64_t pieces() const { return std::ssize(bytes_) / nodes_; }
  std::int64_t total(std::int64_t piece) const {
    return std::accumulate(begin(piece), begin(piece) + nodes_, std::int64_t{0});
  }
  std::int64_t most(std::int64_t piece) const {
    return *std::max_element(begin(piece), begin(piece) + nodes_);
  }

 private:
  std::vector<std::int64_t>::const_iterator begin(std::int64_t piece) const {
    return bytes_.begin() + piece * nodes_;
  }

  int nodes_;
  std::vector<std::int64_t> bytes_;
};

Holdings holdings(const workload::Workload& workload, const plan::NodeMap& nodes,
                  std::int64_t piece) {
  Holdings held((workload.call_stride() + piece - 1) / piece, nodes.node_count());
  for (int rank = 0; rank < workload.ranks(); ++rank) {
    const plan::Pattern pattern(workload.file(rank));
    std::int64_t below = 0;
    std::size_t near = 0;
    for (std::int64_t p = pattern.span().begin / piece; below < pattern.size(); ++p) {
      const std::int64_t next = pattern.bytes_below((p + 1) * piece, &near);
      held.of(p, nodes.node_of(rank)) += next - below;
      below = next;
    }
  }
  return held;
}

}  // namespace

AcrossNodes bytes_across_nodes(const workload::Workload& workload, const plan::NodeMap& nodes,
                               std::int64_t piece) {
  if (nodes.node_count() == 1) return {};
  Holdings held = holdings(workload, nodes, piece);
  AcrossNodes across;
  for (std::int64_t p = 0; p < held.pieces(); ++p) {
    const auto even_owner = static_cast<int>(p * nodes.node_count() / held.pieces());
    across.least_bytes += held.total(p) - held.most(p);
    across.even_bytes += held.total(p) - held.of(p, even_owner);
  }
  return across;
}

}  // namespace headrace::planner
