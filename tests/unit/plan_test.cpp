// Aggregators and windows.
#include "plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "plan/aggregators.hpp"

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

void expect_windows_cover(const Windows& windows, Extent range, std::int64_t buffer_size) {
  std::int64_t at = range.begin;
  while (at < range.end) {
    const WindowNumber number = windows.number_at(at);
    const Extent extent = windows.extent(number);
    ASSERT_EQ(extent.begin, at) << "windows meet without gap or overlap";
    ASSERT_LE(extent.length(), buffer_size);
    ASSERT_GT(extent.length(), 0);
    ASSERT_EQ(windows.number_at(extent.end - 1), number);
    at = extent.end;
  }
  ASSERT_EQ(at, range.end);
}

TEST(Windows, cover_the_range_once) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const auto pick = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    const Extent range{pick(0, 5000), pick(5001, 9000)};
    const int buffer_size = pick(64, 700);
    const Windows windows(range, pick(1, 9), buffer_size, pick(0, 1) * pick(1, 300),
                          pick(0, 1) * 128);
    expect_windows_cover(windows, range, buffer_size);
  }
}

TEST(Windows, a_stripe_always_has_the_same_aggregator) {
  for (const int buffer_size : {100, 1 << 20}) {
    const Windows here({0, 100'000}, 5, buffer_size, 1000, 4096);
    const Windows there({33'333, 77'777}, 5, buffer_size, 1000, 4096);
    for (std::int64_t offset = 33'333; offset < 77'777; offset += 77) {
      EXPECT_EQ(here.aggregator_of(here.number_at(offset)), offset / 1000 % 5);
      EXPECT_EQ(there.aggregator_of(there.number_at(offset)), offset / 1000 % 5);
    }
  }
}

TEST(Windows, touched_finds_every_window_with_data_and_no_other) {
  const PlacedLayout rows = repeat(contiguous(3), 40, 97);
  const Pattern pattern(rows, 0, rows.layout->size());
  const Windows windows({0, 4000}, 3, 128, 0, 1);
  std::set<WindowNumber> expected;
  for (std::int64_t i = 0; i < pattern.size(); ++i)
    expected.insert(windows.number_at(pattern.offset_of(i)));
  EXPECT_EQ(windows.touched(pattern), std::vector<WindowNumber>(expected.begin(), expected.end()));
}

TEST(Windows, moved_ones_are_the_same_at_another_place) {
  const Windows windows({1000, 90'000}, 3, 8192, 0, 0);
  const auto moved = windows.moved(777);
  ASSERT_TRUE(moved.has_value()) << "without stripes they may begin anywhere";
  for (std::int64_t offset = 1000; offset < 90'000; offset += 11) {
    const WindowNumber number = windows.number_at(offset);
    ASSERT_EQ(moved->number_at(offset + 777), number);
    const Extent extent = windows.extent(number);
    ASSERT_EQ(moved->extent(number), (Extent{extent.begin + 777, extent.end + 777}));
  }
}

TEST(Windows, move_only_as_far_as_stripes_and_alignments_stay) {
  const Windows striped({1500, 90'000}, 3, 8192, 1000, 0);
  EXPECT_FALSE(striped.moved(1000).has_value()) << "another aggregator's stripe";
  const auto moved = striped.moved(6000);
  ASSERT_TRUE(moved.has_value());
  for (std::int64_t offset = 1500; offset < 90'000; offset += 11)
    ASSERT_EQ(moved->aggregator_of(moved->number_at(offset + 6000)), (offset + 6000) / 1000 % 3);
  const Windows aligned({0, 90'000}, 3, 8192, 0, 512);
  EXPECT_FALSE(aligned.moved(100).has_value());
  EXPECT_TRUE(aligned.moved(1024).has_value());
}

TEST(ChooseService, contiguous_ranks_need_no_exchange) {
  const CallShape large{{0, 64 << 20}, 64 << 20, 64, true};
  EXPECT_EQ(choose_service(large, Options{}, 64, 1), Service::direct);
  CallShape small = large;
  small.bytes = 6400;
  EXPECT_EQ(choose_service(small, Options{}, 64, 1), Service::tam);
  EXPECT_EQ(choose_service(small, Options{}, 64, 64), Service::two_phase);
  Options forced;
  forced.method = Method::tam;
  EXPECT_EQ(choose_service(large, forced, 64, 1), Service::tam);
  EXPECT_EQ(choose_service(CallShape{}, forced, 64, 1), Service::nothing);
}

TEST(ServiceOrder, goes_round_by_round_and_around_the_ring) {
  std::vector<WindowNumber> numbers{0, 1, 2, 3, 4, 5, 6, 7};
  std::sort(numbers.begin(), numbers.end(), ServiceOrder(4, 2));
  EXPECT_EQ(numbers, (std::vector<WindowNumber>{2, 3, 0, 1, 6, 7, 4, 5}));
}

TEST(ServiceOrder, nodes_with_firsts_of_their_own_never_serve_one_aggregator_at_once) {
  constexpr int aggregators = 5;
  std::vector<std::vector<WindowNumber>> orders;
  for (int first = 0; first < aggregators; ++first) {
    std::vector<WindowNumber> numbers{0, 1, 2, 3, 4};
    std::sort(numbers.begin(), numbers.end(), ServiceOrder(aggregators, first));
    orders.push_back(numbers);
  }
  for (int place = 0; place < aggregators; ++place) {
    std::set<WindowNumber> served;
    for (const auto& order : orders) served.insert(order[place]);
    EXPECT_EQ(std::ssize(served), aggregators);
  }
}

}  // namespace
}  // namespace headrace::plan
