#include "plan/aggregators.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <numeric>
#include <string_view>

namespace headrace::plan {
namespace {

/// The i-th of c aggregators among q ranks: their number below i, by the paper's formula.
int spread_position(int q, int c, int i) {
  const int floor = q / c;
  const int e = q % c;
  return i < e ? (floor + 1) * i : (floor + 1) * e + floor * (i - e);
}

std::vector<int> sizes_of(const NodeMap& nodes) {
  std::vector<int> sizes(nodes.node_count());
  for (int node = 0; node < nodes.node_count(); ++node)
    sizes[node] = static_cast<int>(nodes.ranks_of(node).size());
  return sizes;
}

/// How many of `count` aggregators each node has: as even as what is allowed to each permits.
/// Precondition: count is at most the sum of `allowed`.
std::vector<int> share_of_nodes(std::span<const int> allowed, int count) {
  std::vector<int> share(allowed.size(), 0);
  for (int left = count; left > 0;)
    for (std::size_t node = 0; node < allowed.size() && left > 0; ++node)
      if (share[node] < allowed[node]) {
        ++share[node];
        --left;
      }
  return share;
}

std::vector<int> spread_over_nodes(const NodeMap& nodes, std::span<const int> allowed, int count) {
  std::vector<int> usable;
  for (int node = 0; node < nodes.node_count(); ++node)
    if (allowed[node] > 0) usable.push_back(node);
  std::vector<int> ranks;
  const auto usable_count = static_cast<std::int64_t>(usable.size());
  if (count <= usable_count) {
    for (int i = 0; i < count; ++i)
      ranks.push_back(nodes.ranks_of(usable[i * usable_count / count])[0]);
    return ranks;
  }
  const std::vector<int> share = share_of_nodes(allowed, count);
  for (int node = 0; node < nodes.node_count(); ++node) {
    const auto members = nodes.ranks_of(node);
    for (int i = 0; i < share[node]; ++i)
      ranks.push_back(members[spread_position(static_cast<int>(members.size()), share[node], i)]);
  }
  return ranks;
}

std::vector<int> node_by_node(const NodeMap& nodes, std::span<const int> allowed, int count) {
  std::vector<int> ranks;
  for (int local = 0; static_cast<int>(ranks.size()) < count; ++local)
    for (int node = 0; node < nodes.node_count() && static_cast<int>(ranks.size()) < count; ++node)
      if (local < allowed[node]) ranks.push_back(nodes.ranks_of(node)[local]);
  return ranks;
}

/// What the first entry of cb_config_list that fits says of the host: how many processes; 0 if none
/// fits. The list has been checked when the hint was set.
int processes_for_host(std::string_view list, std::string_view host) {
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    const std::string_view name = entry.substr(0, entry.find(':'));
    if (name != "*" && name != host) continue;
    if (name.size() == entry.size()) return 1;
    const std::string_view number = entry.substr(name.size() + 1);
    if (number == "*") return std::numeric_limits<int>::max();
    int processes = 0;
    std::from_chars(number.data(), number.data() + number.size(), processes);
    return processes;
  }
  return 0;
}

}  // namespace

LocalAggregators::LocalAggregators(const NodeMap& nodes, int count)
    : aggregator_of_(nodes.rank_count()) {
  const std::vector<int> share =
      share_of_nodes(sizes_of(nodes), std::clamp(count, nodes.node_count(), nodes.rank_count()));
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

std::vector<int> aggregators_allowed(const NodeMap& nodes, std::span<const std::string> hosts,
                                     const Options& options, std::int64_t stripe_count) {
  std::vector<int> sizes = sizes_of(nodes);
  const bool is_default = options.cb_config_list == Options().cb_config_list;
  if (is_default && (options.cb_nodes > 0 || stripe_count > 0)) return sizes;
  std::vector<int> allowed(sizes.size());
  for (std::size_t node = 0; node < allowed.size(); ++node)
    allowed[node] = std::min(sizes[node], processes_for_host(options.cb_config_list, hosts[node]));
  if (std::accumulate(allowed.begin(), allowed.end(), 0) == 0) allowed.assign(sizes.size(), 1);
  return allowed;
}

int global_aggregator_count(std::span<const int> allowed, const Options& options,
                            std::int64_t stripe_count) {
  const std::int64_t most = std::accumulate(allowed.begin(), allowed.end(), std::int64_t{0});
  std::int64_t count = most;
  if (stripe_count > 0) count = stripe_count;
  if (options.cb_nodes > 0) count = options.cb_nodes;
  return static_cast<int>(std::min(count, most));
}

std::vector<int> global_aggregators(const NodeMap& nodes, std::span<const int> allowed, int count,
                                    AggregatorPlacement placement) {
  return placement == AggregatorPlacement::spread ? spread_over_nodes(nodes, allowed, count)
                                                  : node_by_node(nodes, allowed, count);
}

std::vector<int> global_aggregators(const NodeMap& nodes, std::span<const std::string> hosts,
                                    const Options& options, std::int64_t stripe_count) {
  const std::vector<int> allowed = aggregators_allowed(nodes, hosts, options, stripe_count);
  const int count = global_aggregator_count(allowed, options, stripe_count);
  return global_aggregators(nodes, allowed, count, options.aggregator_placement);
}

ServiceOrder service_order(const NodeMap& nodes, std::span<const int> global, int node) {
  const auto aggregators = static_cast<int>(global.size());
  assert(aggregators > 0);
  for (int index = aggregators; index-- > 0;)
    if (nodes.node_of(global[index]) == node) return {aggregators, (index + 1) % aggregators};
  return {aggregators, node % aggregators};
}

}  // namespace headrace::plan
