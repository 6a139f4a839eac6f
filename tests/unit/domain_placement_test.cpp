// File domains where the data is.
#include "plan/domain_placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "plan/plan.hpp"

namespace headrace::plan {
namespace {

using testing::ElementsAre;

TEST(DomainPlacement, the_highest_bid_has_its_node_back_and_ties_go_round) {
  std::set<int> first;
  for (int cell = 0; cell < 8; ++cell) {
    std::int64_t highest = 0;
    for (int node = 0; node < 4; ++node) highest = std::max(highest, Bid(cell, 7, node, 4).value());
    EXPECT_EQ(Bid(highest).bytes(), 7);
    first.insert(Bid(highest).node(cell, 4));
    EXPECT_EQ(Bid(std::max(highest, Bid(cell, 8, 2, 4).value())).node(cell, 4), 2);
  }
  EXPECT_EQ(first.size(), 4U);
  EXPECT_EQ(Bid(3, 0, 2, 4).value(), 0) << "nothing is no bid";
}

constexpr std::int64_t page = 4096;

TEST(DomainPlacement, cells_are_aligned_and_no_more_than_there_may_be) {
  Options options;
  const auto small = cells_of({1'000, 3 << 20}, options, page, 2);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->origin, 0);
  EXPECT_EQ(small->size, page);
  EXPECT_EQ(small->count, 768);
  const auto large = cells_of({0, std::int64_t{10} << 30}, options, page, 2);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->size % 4096, 0);
  EXPECT_LE(large->count, most_cells);
  EXPECT_FALSE(cells_of({0, std::int64_t{1} << 40}, options, page, 2))
      << "cells larger than a buffer";
  EXPECT_FALSE(cells_of({0, 500 << 10}, options, page, 4)) << "too little to share out";
  options.file_domains = FileDomains::local;
  EXPECT_TRUE(cells_of({0, 500 << 10}, options, page, 4));
  EXPECT_FALSE(cells_of({0, 7 * page}, options, page, 4)) << "too few";
  EXPECT_EQ(cells_of({1'000, 30 << 20}, options, 1 << 20, 2)->size, 1 << 20)
      << "blocks of a file system";
  EXPECT_EQ(cells_of({1'000, 30 << 20}, options, 0, 2)->size, page);
  EXPECT_FALSE(cells_of({0, 300 << 20}, options, 32 << 20, 2)) << "blocks larger than a buffer";
  options.striping_unit = 100'000;
  EXPECT_EQ(cells_of({150'000, 9'000'000}, options, page, 2)->origin, 100'000);
  EXPECT_EQ(cells_of({150'000, 9'000'000}, options, page, 2)->size, 100'000);
}

TEST(DomainPlacement, what_crosses_is_what_the_highest_bidder_has_not) {
  const std::vector<std::int64_t> highest{Bid(0, 60, 1, 4).value(), 0, Bid(2, 70, 0, 4).value()};
  EXPECT_EQ(crossing_bytes(highest, std::vector{1, no_node, 0}, 4, 200), 70);
  EXPECT_EQ(crossing_bytes(highest, std::vector{0, no_node, 0}, 4, 200), 130);
  EXPECT_EQ(crossing_bytes_of_even(200, 4), 150);
}

/// What a choice of nodes loses.
std::int64_t loss_of(std::span<const std::int64_t> highest, std::span<const int> chosen, int nodes,
                     std::int64_t piece_bytes) {
  std::int64_t bids = 0;
  for (const std::int64_t value : highest) bids += Bid(value).bytes();
  std::int64_t loss = crossing_bytes(highest, chosen, nodes, bids);
  for (std::size_t cell = 1; cell < chosen.size(); ++cell)
    if (chosen[cell - 1] != no_node && chosen[cell] != no_node && chosen[cell - 1] != chosen[cell])
      loss += piece_bytes;
  return loss;
}

TEST(DomainPlacement, nodes_of_cells_are_those_that_lose_least) {
  std::mt19937 random(3);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  int beaten = 0;  // the highest bidders
  for (int i = 0; i < 1000; ++i) {
    const int nodes = pick(1, 3);
    const int cells = pick(1, 7);
    const int piece_bytes = pick(0, 20);
    std::vector<std::int64_t> highest;
    std::vector<int> bidders;
    for (int cell = 0; cell < cells; ++cell) {
      highest.push_back(Bid(cell, std::max(pick(-3, 20), 0), pick(0, nodes - 1), nodes).value());
      const Bid bid(highest.back());
      bidders.push_back(bid.bytes() > 0 ? bid.node(cell, nodes) : no_node);
    }
    const std::vector<int> chosen = cell_nodes(highest, nodes, piece_bytes);
    ASSERT_EQ(chosen.size(), highest.size());
    const auto loss = [&](const std::vector<int>& each) {
      return loss_of(highest, each, nodes, piece_bytes);
    };
    std::vector<int> all = bidders;
    std::int64_t least = loss(all);
    for (int choice = static_cast<int>(std::pow(nodes, cells)); choice-- > 0;) {
      int rest = choice;
      for (int cell = 0; cell < cells; ++cell, rest /= nodes)
        if (bidders[cell] != no_node) all[cell] = rest % nodes;
      least = std::min(least, loss(all));
    }
    for (int cell = 0; cell < cells; ++cell)
      ASSERT_EQ(chosen[cell] == no_node, bidders[cell] == no_node);
    ASSERT_EQ(loss(chosen), least) << "case " << i;
    ASSERT_TRUE(piece_bytes > 0 || chosen == bidders);
    beaten += least < loss(bidders);
  }
  EXPECT_GT(beaten, 100);
}

class PlacedWindows : public testing::Test {
 protected:
  /// Four nodes take turns of some of 256 cells, of which they have `share` bytes each.
  std::optional<Windows> placed(std::int64_t cell_bytes, int cells_in_turn, std::int64_t share) {
    const Cells cells{0, cell_bytes, 256};
    std::vector<std::int64_t> highest;
    for (int cell = 0; cell < cells.count; ++cell)
      highest.push_back(Bid(cell, share, cell / cells_in_turn % 4, 4).value());
    const std::int64_t bytes = cells.size * cells.count;
    return placed_windows({{0, bytes}, bytes, 8, false}, cells, highest, nodes_, global_, options_);
  }

  const NodeMap nodes_ = NodeMap::blocks(8, 2);
  const std::vector<int> global_{0, 2, 4, 6};
  Options options_;
};

TEST_F(PlacedWindows, belong_to_those_who_have_their_data) {
  const auto windows = placed(65536, 1, 65536);
  ASSERT_TRUE(windows) << "of 16 MiB none crosses, which saves 12; 256 pieces cost one";
  for (int cell = 0; cell < 256; ++cell)
    EXPECT_EQ(windows->aggregator_of(windows->number_at(cell * 65536)), cell % 4);
  EXPECT_EQ(windows->at(0).pieces().size(), 63U) << "of 64 KiB, with gaps, in 4 MiB";
}

TEST_F(PlacedWindows, are_not_where_they_cost_more_than_they_save_unless_a_hint_insists) {
  EXPECT_FALSE(placed(2048, 1, 2048)) << "a piece of 2 KiB costs as much as twice its data";
  EXPECT_FALSE(placed(2048, 2, 2048));
  EXPECT_TRUE(placed(2048, 4, 2048)) << "64 pieces cost 256 KiB, and save 384";
  options_.file_domains = FileDomains::local;
  EXPECT_TRUE(placed(2048, 1, 2048));
}

TEST_F(PlacedWindows, are_not_where_as_much_crosses) {
  options_.file_domains = FileDomains::local;
  EXPECT_FALSE(placed(65536, 64, 16384)) << "a quarter of a cell's bytes are the node's own";
  EXPECT_TRUE(placed(65536, 64, 16385));
}

TEST_F(PlacedWindows, are_not_where_one_aggregator_would_serve_much_more_than_the_others) {
  EXPECT_TRUE(placed(65536, 96, 65536)) << "one and a half quarters of the cells";
  EXPECT_FALSE(placed(65536, 97, 65536));
  options_.file_domains = FileDomains::local;
  EXPECT_TRUE(placed(65536, 97, 65536));
}

TEST(DomainPlacement, a_cell_goes_to_an_aggregator_of_its_node_and_if_it_has_none_to_any) {
  const NodeMap nodes = NodeMap::blocks(9, 3);
  const std::vector<int> global{0, 1, 6};  // node 1 has none
  const Cells cells{0, 10, 9};
  const std::vector<int> cell_nodes{0, 0, 0, 0, 0, 2, no_node, no_node, no_node};
  EXPECT_THAT(cell_owners(cell_nodes, cells, nodes, global, 20),
              ElementsAre(0, 0, 1, 1, 0, 2, 2, 2, 2))
      << "two windows' cells in turn; those without a bid by their place";
}

TEST(DomainPlacement, a_rank_bids_its_bytes_in_each_cell_it_touches) {
  const PlacedLayout rows = repeat(contiguous(3), 40, 97);
  const Pattern pattern(rows, 0, rows.layout->size());
  std::vector<std::int64_t> expected(40);
  for (std::int64_t i = 0; i < pattern.size(); ++i) ++expected[pattern.offset_of(i) / 100];
  std::vector<std::int64_t> sums(40);
  for_each_cell(Cells{0, 100, 40}, pattern, [&](int cell, std::int64_t bytes) {
    EXPECT_GT(bytes, 0);
    EXPECT_EQ(sums[cell], 0) << "each once";
    sums[cell] = bytes;
  });
  EXPECT_EQ(sums, expected);
}

}  // namespace
}  // namespace headrace::plan
