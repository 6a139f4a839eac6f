#include "plan/aggregators.hpp"

#include <algorithm>

namespace headrace::plan {
namespace {

/// The i-th of c aggregators among q ranks: their number below i, by the paper's formula.
int spread_position(int q, int c, int i) {
  const int floor = q / c;
  const int e = q % c;
  return i < e ? (floor + 1) * i : (floor + 1) * e + floor * (i - e);
}

/// How many of `count` aggregators each node has: as even as the nodes' sizes allow.
/// Precondition: count is at most the number of ranks.
std::vector<int> share_of_nodes(const NodeMap& nodes, int count) {
  std::vector<int> share(nodes.node_count(), 0);
  for (int left = count; left > 0;)
    for (int node = 0; node < nodes.node_count() && left > 0; ++node)
      if (share[node] < static_cast<int>(nodes.ranks_of(node).size())) {
        ++share[node];
        --left;
      }
  return share;
}

std::vector<int> spread_over_nodes(const NodeMap& nodes, int count) {
  std::vector<int> ranks;
  if (count <= nodes.node_count()) {
    for (int i = 0; i < count; ++i)
      ranks.push_back(nodes.ranks_of(
          static_cast<int>(static_cast<std::int64_t>(i) * nodes.node_count() / count))[0]);
    return ranks;
  }
  const std::vector<int> share = share_of_nodes(nodes, count);
  for (int node = 0; node < nodes.node_count(); ++node) {
    const auto members = nodes.ranks_of(node);
    for (int i = 0; i < share[node]; ++i)
      ranks.push_back(members[spread_position(static_cast<int>(members.size()), share[node], i)]);
  }
  return ranks;
}

std::vector<int> node_by_node(const NodeMap& nodes, int count) {
  std::vector<int> ranks;
  for (std::size_t local = 0; static_cast<int>(ranks.size()) < count; ++local)
    for (int node = 0; node < nodes.node_count() && static_cast<int>(ranks.size()) < count; ++node)
      if (local < nodes.ranks_of(node).size()) ranks.push_back(nodes.ranks_of(node)[local]);
  return ranks;
}

}  // namespace

LocalAggregators::LocalAggregators(const NodeMap& nodes, int count)
    : aggregator_of_(nodes.rank_count()) {
  const std::vector<int> share =
      share_of_nodes(nodes, std::clamp(count, nodes.node_count(), nodes.rank_count()));
  for (int node = 0; node < nodes.node_count(); ++node) {
    const auto members = nodes.ranks_of(node);
    const int q = static_cast<int>(members.size());
    const int c = share[node];
    for (int i = 0; i < c; ++i) {
      const int begin = spread_position(q, c, i);
      const int end = i + 1 < c ? spread_position(q, c, i + 1) : q;
      aggregators_.push_back(members[begin]);
      for (int local = begin; local < end; ++local) aggregator_of_[members[local]] = members[begin];
    }
  }
}

int default_local_aggregators(const NodeMap& nodes) {
  constexpr int ranks_each = 16;
  constexpr int enough = 256;
  return std::max(nodes.node_count(),
                  std::min(enough, (nodes.rank_count() + ranks_each - 1) / ranks_each));
}

int global_aggregator_count(const NodeMap& nodes, const Options& options,
                            std::int64_t stripe_count) {
  std::int64_t count = nodes.node_count();
  if (stripe_count > 0) count = stripe_count;
  if (options.cb_nodes > 0) count = options.cb_nodes;
  return static_cast<int>(std::clamp<std::int64_t>(count, 1, nodes.rank_count()));
}

std::vector<int> global_aggregators(const NodeMap& nodes, int count,
                                    AggregatorPlacement placement) {
  return placement == AggregatorPlacement::spread ? spread_over_nodes(nodes, count)
                                                  : node_by_node(nodes, count);
}

}  // namespace headrace::plan
