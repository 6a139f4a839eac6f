// Which ranks aggregate: the local aggregators and their groups, and the global aggregators.
#pragma once

#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "plan/node_map.hpp"

namespace headrace::plan {

/// The local aggregators of all nodes and the rank each one gathers from.
class LocalAggregators {
 public:
  LocalAggregators() = default;
  /// `count` (P_L) over all nodes, dealt evenly to the nodes, at least one and at most every rank
  /// of a node. Within a node of q ranks and c aggregators they are spread as the TAM paper,
  /// section IV-A, has it: with e = q mod c, the i-th is local rank ceil(q/c) i for i < e, and
  /// ceil(q/c) e + floor(q/c) (i - e) after. Each gathers from itself up to the next.
  LocalAggregators(const NodeMap& nodes, int count);

  /// P_L.
  int count() const noexcept { return static_cast<int>(aggregators_.size()); }
  const std::vector<int>& ranks() const noexcept { return aggregators_; }
  /// The local aggregator of a rank.
  int of(int rank) const { return aggregator_of_[rank]; }

 private:
  std::vector<int> aggregators_;
  std::vector<int> aggregator_of_;
};

/// P_L where no hint gives it: about one for sixteen ranks, at least one a node, and no more than
/// 256 in all unless there are more nodes (the paper's best choice on Theta, section V-A).
int default_local_aggregators(const NodeMap& nodes);

/// P_G: the hint cb_nodes; else the stripe count, where the storage has stripes; else one a node.
/// Never more than there are ranks.
int global_aggregator_count(const NodeMap& nodes, const Options& options,
                            std::int64_t stripe_count);

/// The ranks of `count` global aggregators, in the order of their file domains. `spread`: evenly
/// over the nodes (TAM paper, Fig. 1), and on a node as local aggregators are; `round_robin`: node
/// by node in turn, as Cray MPI (section V: 0, 64, 1, 65).
std::vector<int> global_aggregators(const NodeMap& nodes, int count, AggregatorPlacement placement);

}  // namespace headrace::plan
