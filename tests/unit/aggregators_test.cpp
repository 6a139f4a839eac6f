// Local and global aggregators.
#include "plan/aggregators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace headrace::plan {
namespace {

using testing::ElementsAre;

TEST(LocalAggregators, the_papers_example_of_five_ranks_and_two_aggregators) {
  const LocalAggregators aggregators(NodeMap::blocks(5, 5), 2);
  EXPECT_THAT(aggregators.ranks(), ElementsAre(0, 3));
  EXPECT_EQ(aggregators.of(2), 0);
  EXPECT_EQ(aggregators.of(4), 3);
}

TEST(LocalAggregators, the_papers_figure_1) {
  // (a): three nodes of eight ranks, four local aggregators each.
  const LocalAggregators aggregators(NodeMap::blocks(24, 8), 12);
  EXPECT_THAT(aggregators.ranks(), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22));
}

TEST(LocalAggregators, as_many_as_ranks_is_two_phase) {
  const LocalAggregators aggregators(NodeMap::blocks(13, 4), 13);
  for (int rank = 0; rank < 13; ++rank) EXPECT_EQ(aggregators.of(rank), rank);
}

TEST(LocalAggregators, every_rank_has_one_on_its_own_node_at_or_below_it) {
  for (int ranks = 1; ranks <= 20; ++ranks)
    for (int per_node = 1; per_node <= ranks; ++per_node)
      for (int count = 1; count <= ranks; ++count) {
        const NodeMap nodes = NodeMap::blocks(ranks, per_node);
        const LocalAggregators aggregators(nodes, count);
        for (int rank = 0; rank < ranks; ++rank) {
          const int aggregator = aggregators.of(rank);
          ASSERT_LE(aggregator, rank);
          ASSERT_EQ(nodes.node_of(aggregator), nodes.node_of(rank));
          ASSERT_EQ(aggregators.of(aggregator), aggregator);
        }
      }
}

TEST(LocalAggregators, the_default_on_the_papers_machine_is_its_best_choice) {
  EXPECT_EQ(default_local_aggregators(NodeMap::blocks(16384, 64)), 256);
  EXPECT_EQ(default_local_aggregators(NodeMap::blocks(64, 64)), 4);
  EXPECT_EQ(default_local_aggregators(NodeMap::blocks(4, 1)), 4);
}

std::vector<int> all_ranks_of(const NodeMap& nodes) {
  std::vector<int> sizes;
  for (int node = 0; node < nodes.node_count(); ++node)
    sizes.push_back(static_cast<int>(nodes.ranks_of(node).size()));
  return sizes;
}

std::vector<int> chosen(const NodeMap& nodes, int count, AggregatorPlacement placement) {
  return global_aggregators(nodes, all_ranks_of(nodes), count, placement);
}

TEST(GlobalAggregators, spread_as_the_papers_figure_1) {
  EXPECT_THAT(chosen(NodeMap::blocks(24, 8), 3, AggregatorPlacement::spread),
              ElementsAre(0, 8, 16));
  EXPECT_THAT(chosen(NodeMap::blocks(48, 8), 3, AggregatorPlacement::spread),
              ElementsAre(0, 16, 32));
  EXPECT_THAT(chosen(NodeMap::blocks(8, 4), 4, AggregatorPlacement::spread),
              ElementsAre(0, 2, 4, 6));
}

TEST(GlobalAggregators, round_robin_as_cray_mpi) {
  EXPECT_THAT(chosen(NodeMap::blocks(128, 64), 4, AggregatorPlacement::round_robin),
              ElementsAre(0, 64, 1, 65));
}

TEST(GlobalAggregators, are_as_many_as_asked_and_all_different) {
  for (int ranks = 1; ranks <= 17; ++ranks)
    for (int per_node = 1; per_node <= ranks; ++per_node)
      for (int count = 1; count <= ranks; ++count)
        for (const auto placement :
             {AggregatorPlacement::spread, AggregatorPlacement::round_robin}) {
          const auto list = chosen(NodeMap::blocks(ranks, per_node), count, placement);
          ASSERT_EQ(static_cast<int>(std::set(list.begin(), list.end()).size()), count);
        }
}

int count_for(const NodeMap& nodes, const Options& options, std::int64_t stripe_count) {
  const std::vector<std::string> hosts(nodes.node_count(), "host");
  return global_aggregator_count(aggregators_allowed(nodes, hosts, options, stripe_count), options,
                                 stripe_count);
}

TEST(GlobalAggregators, the_number_comes_from_the_hint_then_the_stripes_then_the_nodes) {
  const NodeMap nodes = NodeMap::blocks(64, 16);
  Options options;
  EXPECT_EQ(count_for(nodes, options, 0), 4);
  EXPECT_EQ(count_for(nodes, options, 56), 56);
  options.cb_nodes = 1000;
  EXPECT_EQ(count_for(nodes, options, 56), 64);
}

TEST(GlobalAggregators, cb_config_list_says_how_many_of_each_host) {
  const NodeMap nodes = NodeMap::blocks(12, 4);
  const std::vector<std::string> hosts{"a", "b", "c"};
  const auto allowed = [&](const char* list) {
    Options options;
    options.cb_config_list = list;
    return aggregators_allowed(nodes, hosts, options, 0);
  };
  EXPECT_THAT(allowed("*:1"), ElementsAre(1, 1, 1));
  EXPECT_THAT(allowed("*:2"), ElementsAre(2, 2, 2));
  EXPECT_THAT(allowed("*:*"), ElementsAre(4, 4, 4));
  EXPECT_THAT(allowed("b:3,c"), ElementsAre(0, 3, 1));
  EXPECT_THAT(allowed("a:0,*:9"), ElementsAre(0, 4, 4));
  EXPECT_THAT(allowed("elsewhere:2"), ElementsAre(1, 1, 1)) << "nobody is left: the default";
}

TEST(GlobalAggregators, nodes_that_are_not_allowed_have_none) {
  const NodeMap nodes = NodeMap::blocks(12, 4);
  const std::vector<int> allowed{0, 3, 1};
  EXPECT_THAT(global_aggregators(nodes, allowed, 4, AggregatorPlacement::spread),
              ElementsAre(4, 6, 7, 8));
  EXPECT_THAT(global_aggregators(nodes, allowed, 4, AggregatorPlacement::round_robin),
              ElementsAre(4, 8, 5, 6));
  EXPECT_THAT(global_aggregators(nodes, allowed, 2, AggregatorPlacement::spread),
              ElementsAre(4, 8));
}

}  // namespace
}  // namespace headrace::plan
