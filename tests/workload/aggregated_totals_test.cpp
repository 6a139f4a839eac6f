// What the paper's local aggregators make of BTIO's requests, by the merge that the engine runs
// (engine/local_aggregator.cpp), on the groups that it forms.
#include <chrono>
#include <iostream>
#include <map>

#include "checks.hpp"
#include "plan/aggregators.hpp"
#include "plan/merge.hpp"
#include "plan/window.hpp"

namespace headrace::workload {
namespace {

constexpr int ranks_per_node = 64;
constexpr int local_aggregators = 256;

std::vector<std::vector<int>> groups_of(int ranks) {
  const auto nodes = plan::NodeMap::blocks(ranks, ranks_per_node);
  const plan::LocalAggregators aggregators(nodes, local_aggregators);
  std::map<int, std::vector<int>> groups;
  for (int rank = 0; rank < ranks; ++rank) groups[aggregators.of(rank)].push_back(rank);
  std::vector<std::vector<int>> list;
  for (auto& [aggregator, members] : groups) list.push_back(std::move(members));
  return list;
}

/// The group's requests in one call, merged and coalesced.
plan::RunEncoder merged(const Workload& workload, const std::vector<int>& group) {
  std::vector<plan::RunEncoder> lists;
  for (const int rank : group) {
    const auto file = workload.file(rank);
    lists.push_back(encode_window(plan::Pattern(file, 0, size_of(file)),
                                  plan::Window({0, workload.call_stride()})));
  }
  std::vector<std::span<const std::byte>> wires;
  for (const plan::RunEncoder& list : lists) wires.push_back(list.bytes());
  return plan::merge(wires, false).requests;
}

/// Of all dumps. Dumps are alike but for their displacement, and no request goes from one into the
/// next: that would take a group that has the first and the last byte of a dump.
std::int64_t requests_after_aggregation(const Workload& workload) {
  std::int64_t requests = 0;
  const auto groups = groups_of(workload.ranks());
  EXPECT_EQ(std::ssize(groups), local_aggregators);
  for (const std::vector<int>& group : groups) {
    const plan::RunEncoder list = merged(workload, group);
    EXPECT_LT(list.summary().span.length(), workload.call_stride()) << "joins dumps";
    requests += list.summary().requests;
  }
  return requests * workload.default_calls();
}

struct Aggregated {
  int ranks;
  std::int64_t requests;
};

class AggregatedBtio : public testing::TestWithParam<Aggregated> {};

/// TAM paper, section V-B: exactly these numbers.
TEST_P(AggregatedBtio, has_the_papers_requests) {
  const auto begin = std::chrono::steady_clock::now();
  const auto workload = made("btio", {{"edge", "512"}}, GetParam().ranks);
  EXPECT_EQ(requests_after_aggregation(*workload), GetParam().requests);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::cout << fmt::format("{} groups of {} ranks merged in {:.1f} s\n", local_aggregators,
                           GetParam().ranks / local_aggregators, seconds.count());
}

INSTANTIATE_TEST_SUITE_P(, AggregatedBtio,
                         testing::Values(Aggregated{1'024, 84'377'600},
                                         Aggregated{4'096, 43'171'840},
                                         Aggregated{16'384, 23'552'000}),
                         [](const auto& info) {
                           return fmt::format("{}_ranks", info.param.ranks);
                         });

}  // namespace
}  // namespace headrace::workload
