#include "planner/call_plan.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/options.hpp"
#include "plan/gather.hpp"
#include "plan/merge.hpp"

namespace headrace::planner {
namespace {

std::vector<plan::Pattern> patterns_of(const workload::Workload& workload, std::int64_t call) {
  std::vector<plan::Pattern> files;
  files.reserve(workload.ranks());
  for (int rank = 0; rank < workload.ranks(); ++rank) files.push_back(workload.pattern(rank, call));
  return files;
}

/// Memory taken as contiguous.
plan::CallShape shape_of(const std::vector<plan::Pattern>& files, const plan::DirectSizes& sizes) {
  plan::CallShape shape;
  shape.every_rank_direct = shape.every_rank_small = true;
  for (const plan::Pattern& file : files) {
    if (file.empty()) continue;
    const Extent span = file.span();
    shape.range = shape.ranks_with_data == 0 ? span
                                             : Extent{std::min(shape.range.begin, span.begin),
                                                      std::max(shape.range.end, span.end)};
    shape.bytes += file.size();
    ++shape.ranks_with_data;
    shape.every_rank_direct &= plan::suits_direct(file, sizes);
    shape.every_rank_small = shape.every_rank_small && plan::small_list(file).has_value();
  }
  return shape;
}

plan::Accesses accesses_of(const std::vector<plan::Pattern>& files, const plan::Windows& windows,
                           int aggregators) {
  std::vector<std::vector<plan::WindowNumber>> touched;
  touched.reserve(files.size());
  for (const plan::Pattern& file : files) touched.push_back(windows.touched(file));
  return {aggregators, touched};
}

std::vector<std::vector<int>> ranks_by_window(const plan::Accesses& accesses) {
  std::vector<std::vector<int>> ranks(accesses.windows());
  for (int rank = 0; rank < accesses.processes(); ++rank)
    for (const int window : accesses.of(rank)) ranks[window].push_back(rank);
  return ranks;
}

/// Windows of stripes and of even domains are of one piece.
Extent file_of(const plan::Window& window) {
  return window.pieces()[0].file;
}

/// All touched windows, by their place in the file.
std::vector<int> as_in_file(const CallPlan& plan) {
  const auto begin = [&plan](int window) {
    return file_of(plan.windows.at(plan.accesses.number(window))).begin;
  };
  std::vector<int> windows(plan.accesses.windows());
  std::iota(windows.begin(), windows.end(), 0);
  std::ranges::sort(windows, {}, begin);
  return windows;
}

class TrafficCount {
 public:
  explicit TrafficCount(const CallPlan& plan) : plan_(plan) {}

  void add_window(int index, std::span<const int> ranks) {
    const plan::WindowNumber number = plan_.accesses.number(index);
    const plan::Window window = plan_.windows.at(number);
    const int aggregator = plan_.global[plan_.windows.aggregator_of(number)];
    std::vector<std::vector<std::byte>> packed;
    while (!ranks.empty()) {
      const auto group = first_group(ranks);
      ranks = ranks.subspan(group.size());
      const bool is_at_home = on_one_node(group[0], aggregator);
      plan::Gathered gathered = add_group(group, window, is_at_home);
      if (!is_at_home) add_message(gathered);
      packed.push_back(std::move(gathered.lists));
    }
    count_in_domains(merged(packed).summary(), file_of(window));
  }
  const Traffic& traffic() const noexcept { return traffic_; }

 private:
  /// The ranks of one local aggregator follow one another.
  std::span<const int> first_group(std::span<const int> ranks) const {
    const int aggregator = plan_.local.of(ranks[0]);
    const auto end = std::find_if(ranks.begin(), ranks.end(),
                                  [&](int rank) { return plan_.local.of(rank) != aggregator; });
    return {ranks.begin(), end};
  }

  /// To be called for windows as they lie in the file: a request that goes on in the next one
  /// counts once, whoever has the rest of it.
  void count_in_domains(const plan::ListSummary& requests, Extent window) {
    const bool is_cut = reached_ == window.begin && requests.span.begin == 0;
    traffic_.requests_in_domains += requests.requests - (is_cut ? 1 : 0);
    reached_ = window.begin + requests.span.end;
  }

  plan::Gathered add_group(std::span<const int> ranks, const plan::Window& window,
                           bool is_at_home) {
    std::vector<plan::RunEncoder> lists;
    std::vector<plan::GatherSource> sources;
    lists.reserve(ranks.size());
    for (const int rank : ranks) {
      const auto& list = lists.emplace_back(encode_window(plan_.files[rank], window));
      const plan::Cuts own = cuts_of(plan_.files[rank], window);
      sources.push_back({list.bytes(), own});
      traffic_.requests_before += list.summary().requests - own.count();
    }
    plan::Gathered gathered =
        is_at_home ? plan::gather_at_home(sources) : plan::gather(sources, false);
    traffic_.requests_after += gathered.requests;
    return gathered;
  }

  static plan::RunEncoder merged(const std::vector<std::vector<std::byte>>& packed) {
    std::vector<std::span<const std::byte>> wires;
    for (const std::vector<std::byte>& lists : packed)
      std::ranges::copy(plan::lists_in(lists), std::back_inserter(wires));
    return plan::merge(wires, false).requests;
  }

  bool on_one_node(int rank, int other) const {
    return plan_.nodes.node_of(rank) == plan_.nodes.node_of(other);
  }

  void add_message(const plan::Gathered& gathered) {
    ++traffic_.messages;
    traffic_.list_bytes += std::ssize(gathered.lists);
    traffic_.data_bytes += gathered.data_bytes;
  }

  const CallPlan& plan_;
  Traffic traffic_;
  std::int64_t reached_ = -1;  // the end of the domains' last request so far
};

}  // namespace

CallPlan plan_call(const workload::Workload& workload, std::int64_t call, const Machine& machine) {
  const Options options;
  plan::NodeMap nodes = plan::NodeMap::blocks(workload.ranks(), machine.ranks_per_node);
  std::vector<plan::Pattern> files = patterns_of(workload, call);
  const plan::DirectSizes sizes = plan::direct_sizes(0, machine.stripe_size);
  const plan::CallShape shape = shape_of(files, sizes);
  const auto service =
      plan::choose_service(shape, options, sizes, nodes.rank_count(), nodes.node_count());
  const std::vector<std::string> hosts(nodes.node_count());
  std::vector<int> global = plan::global_aggregators(nodes, hosts, options, machine.stripe_count);
  const auto aggregators = static_cast<int>(global.size());
  const plan::Windows windows(shape.range, aggregators,
                              plan::window_bytes(options, nodes.node_count()), machine.stripe_size,
                              options.striping_unit);
  plan::LocalAggregators local(nodes, plan::default_local_aggregators(nodes));
  plan::Accesses accesses = accesses_of(files, windows, aggregators);
  return {std::move(nodes), service,          std::move(local),   std::move(global),
          windows,          std::move(files), std::move(accesses)};
}

Traffic count_traffic(const CallPlan& plan) {
  TrafficCount count(plan);
  const auto ranks = ranks_by_window(plan.accesses);
  for (const int window : as_in_file(plan)) count.add_window(window, ranks[window]);
  return count.traffic();
}

}  // namespace headrace::planner
