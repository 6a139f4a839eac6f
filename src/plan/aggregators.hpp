// Which ranks aggregate: the local aggregators and their groups, and the global aggregators.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "plan/node_map.hpp"
#include "plan/plan.hpp"

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

/// How many ranks of each node may be global aggregators, by the hint cb_config_list: of the first
/// entry that names the node's host or "*"; none where no entry does. hosts[n] is node n's host.
/// The list's default, "*:1", gives way where another hint or the stripes say how many there are.
/// A list that leaves nobody counts as the default.
std::vector<int> aggregators_allowed(const NodeMap& nodes, std::span<const std::string> hosts,
                                     const Options& options, std::int64_t stripe_count);

/// P_G: the hint cb_nodes; else the stripe count, where the storage has stripes; else as many as
/// are allowed. Never more than are allowed.
int global_aggregator_count(std::span<const int> allowed, const Options& options,
                            std::int64_t stripe_count);

/// The ranks of `count` global aggregators, in the order of their file domains. `spread`: evenly
/// over the nodes (TAM paper, Fig. 1), and on a node as local aggregators are; `round_robin`: node
/// by node in turn, as Cray MPI (section V: 0, 64, 1, 65).
/// Precondition: count is at most the sum of `allowed`, which is per node.
std::vector<int> global_aggregators(const NodeMap& nodes, std::span<const int> allowed, int count,
                                    AggregatorPlacement placement);

/// The three above in turn: the ranks of the global aggregators of a file.
std::vector<int> global_aggregators(const NodeMap& nodes, std::span<const std::string> hosts,
                                    const Options& options, std::int64_t stripe_count);

/// The order of one node: from the aggregator after its own on. Its own is served last, as nothing
/// of that window has to wait for the network. `global` is not empty.
ServiceOrder service_order(const NodeMap& nodes, std::span<const int> global, int node);

}  // namespace headrace::plan
