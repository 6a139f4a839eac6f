// Aggregators and windows.
#include "plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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

/// The piece that holds a byte of the file, of the window that says so.
Extent piece_at(const Windows& windows, std::int64_t offset) {
  const Window window = windows.at(windows.number_at(offset));
  for (const Window::Piece& piece : window.pieces())
    if (piece.file.begin <= offset && offset < piece.file.end) return piece.file;
  ADD_FAILURE() << offset << " is not in its window";
  return {};
}

void expect_windows_cover(const Windows& windows, Extent range, std::int64_t buffer_size) {
  std::int64_t at = range.begin;
  while (at < range.end) {
    const WindowNumber number = windows.number_at(at);
    ASSERT_LE(windows.at(number).length(), buffer_size);
    ASSERT_LE(windows.at(number).pieces().size(), Window::most_pieces);
    const Extent piece = piece_at(windows, at);
    ASSERT_EQ(piece.begin, at) << "pieces meet without gap or overlap";
    ASSERT_GT(piece.length(), 0);
    ASSERT_EQ(windows.number_at(piece.end - 1), number);
    at = piece.end;
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

std::shared_ptr<const WindowTable> table_of(const std::vector<int>& owners, int aggregators,
                                            const Cells& cells, std::int64_t window_bytes) {
  return std::make_shared<const WindowTable>(owners, aggregators, cells.size, window_bytes);
}

TEST(Windows, of_placed_domains_cover_the_range_once_and_keep_to_the_owners_of_cells) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    const auto pick = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    const int aggregators = pick(1, 6);
    const Cells cells{pick(0, 500), pick(1, 90), pick(1, 60)};
    std::vector<int> owners(cells.count);
    for (int& owner : owners) owner = pick(0, aggregators - 1);
    const std::int64_t window_bytes = pick(1, 400);
    const std::int64_t end =
        cells.origin + (cells.count - 1) * cells.size + pick(1, static_cast<int>(cells.size));
    const Extent range{
        cells.origin + (cells.count > 1 ? pick(0, static_cast<int>(cells.size) - 1) : 0), end};
    const Windows windows(range, aggregators, cells,
                          table_of(owners, aggregators, cells, window_bytes), 0);
    expect_windows_cover(windows, range, std::max(window_bytes, cells.size));
    std::vector<std::int64_t> rounds(aggregators, -1);  // of each, the last one so far
    for (std::int64_t at = range.begin; at < range.end; ++at) {
      const WindowNumber number = windows.number_at(at);
      std::int64_t& last = rounds[windows.aggregator_of(number)];
      ASSERT_EQ(windows.aggregator_of(number), owners[(at - cells.origin) / cells.size]);
      ASSERT_TRUE(windows.round_of(number) == last || windows.round_of(number) == last + 1);
      last = windows.round_of(number);
    }
    const auto moved = windows.moved(123);
    ASSERT_TRUE(moved.has_value());
    ASSERT_EQ(moved->number_at(range.begin + 123), windows.number_at(range.begin));
  }
}

std::vector<Extent> files_of(const Window& window) {
  std::vector<Extent> files;
  for (const Window::Piece& piece : window.pieces()) files.push_back(piece.file);
  return files;
}

TEST(Windows, of_placed_domains_join_neighbours_of_one_owner) {
  const std::vector<int> owners{1, 1, 1, 0, 1, 0, 0};
  const Cells cells{0, 10, 7};
  const Windows windows({5, 68}, 2, cells, table_of(owners, 2, cells, 20), 0);
  EXPECT_THAT(files_of(windows.at(1)), ElementsAre(Extent{5, 20}));
  EXPECT_THAT(files_of(windows.at(3)), ElementsAre(Extent{20, 30})) << "two cells are the most";
  EXPECT_THAT(files_of(windows.at(0)), ElementsAre(Extent{30, 40}));
  EXPECT_THAT(files_of(windows.at(5)), ElementsAre(Extent{40, 50})) << "gaps take room";
  EXPECT_THAT(files_of(windows.at(2)), ElementsAre(Extent{50, 68}));
}

TEST(Windows, of_placed_domains_take_the_pieces_of_an_owner_as_they_come) {
  const std::vector<int> owners{1, 0, 1, 1, 0, 1, 1, 1, 0};
  const Cells cells{0, 10, 9};
  const Windows windows({0, 90}, 2, cells, table_of(owners, 2, cells, 64 + 64 + 20), 0);
  EXPECT_THAT(files_of(windows.at(1)), ElementsAre(Extent{0, 10}, Extent{20, 40}, Extent{50, 70}))
      << "the third piece is cut where the window is full";
  EXPECT_THAT(files_of(windows.at(3)), ElementsAre(Extent{70, 80}));
  EXPECT_THAT(files_of(windows.at(0)), ElementsAre(Extent{10, 20}, Extent{40, 50}, Extent{80, 90}));
  EXPECT_EQ(windows.at(1).pieces()[1].offset, 64);
  EXPECT_EQ(windows.at(1).length(), 148);
}

TEST(Windows, of_placed_domains_have_no_more_pieces_than_they_may) {
  std::vector<int> owners;
  for (int cell = 0; cell < 4 * Window::most_pieces; ++cell) owners.push_back(cell % 2);
  const Cells cells{0, 10, static_cast<int>(owners.size())};
  const Windows windows({0, 10 * cells.count}, 2, cells, table_of(owners, 2, cells, 1 << 20), 0);
  EXPECT_EQ(windows.at(0).pieces().size(), Window::most_pieces);
  EXPECT_EQ(windows.at(2).pieces().size(), Window::most_pieces);
  EXPECT_EQ(windows.number_at(10 * cells.count - 1), 3);
}

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
    const Extent extent = windows.at(number).pieces()[0].file;
    ASSERT_THAT(files_of(moved->at(number)),
                ElementsAre(Extent{extent.begin + 777, extent.end + 777}));
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
  const DirectSizes sizes = direct_sizes(0, 0);
  EXPECT_EQ(choose_service(large, Options{}, sizes, 64, 1), Service::direct);
  CallShape small = large;
  small.bytes = 6400;
  EXPECT_EQ(choose_service(small, Options{}, sizes, 64, 1), Service::tam);
  EXPECT_EQ(choose_service(small, Options{}, sizes, 64, 64), Service::two_phase);
  Options forced;
  forced.method = Method::tam;
  EXPECT_EQ(choose_service(large, forced, sizes, 64, 1), Service::tam);
  EXPECT_EQ(choose_service(CallShape{}, forced, sizes, 64, 1), Service::nothing);
}

TEST(SmallList, is_of_parts_that_are_small_with_it) {
  const auto is_small = [](const PlacedLayout& layout) {
    return small_list(Pattern(layout)).has_value();
  };
  EXPECT_TRUE(small_list(Pattern())->bytes().empty());
  const auto list = small_list(Pattern(PlacedLayout{7000, repeat(contiguous(8), 3, 20).layout}));
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->summary().span, (Extent{0, 48})) << "from its begin";
  EXPECT_TRUE(is_small(contiguous(4000)));
  EXPECT_FALSE(is_small(contiguous(small_part)));
  EXPECT_TRUE(is_small(repeat(contiguous(8), 2, small_range - 8)));
  EXPECT_FALSE(is_small(repeat(contiguous(8), 2, small_range - 7)));
}

TEST(ChooseService, few_bytes_near_each_other_on_one_node_are_small) {
  CallShape shape{{1000, 1000 + small_range}, 6400, 64};
  const DirectSizes sizes = direct_sizes(4096, 0);
  EXPECT_EQ(choose_service(shape, Options{}, sizes, 64, 1), Service::tam);
  shape.every_rank_small = true;
  EXPECT_EQ(choose_service(shape, Options{}, sizes, 64, 1), Service::small);
  EXPECT_EQ(choose_service(shape, Options{}, sizes, 64, 2), Service::tam);
  Options only_aggregators;
  only_aggregators.no_indep_rw = true;
  EXPECT_EQ(choose_service(shape, only_aggregators, sizes, 64, 1), Service::tam);
  Options in_order;
  in_order.schedule = Schedule::mdf;
  EXPECT_EQ(choose_service(shape, in_order, sizes, 64, 1), Service::tam);
  ++shape.range.end;
  EXPECT_EQ(choose_service(shape, Options{}, sizes, 64, 1), Service::tam);
}

Pattern rows(std::int64_t length, std::int64_t count, std::int64_t bytes) {
  return {repeat(contiguous(length), count, 10 * length), 0, bytes};
}

TEST(ChooseService, large_requests_need_no_exchange_where_blocks_are_small) {
  const DirectSizes local = direct_sizes(4096, 0);
  constexpr std::int64_t large = 16 << 10;
  EXPECT_TRUE(suits_direct(rows(large, 5, 5 * large), local));
  EXPECT_FALSE(suits_direct(rows(large - 1, 5, 5 * (large - 1)), local));
  EXPECT_TRUE(suits_direct(rows(8, 5, 8), local)) << "one request";
  EXPECT_FALSE(suits_direct(rows(8, 5, 16), local));
  const CallShape shape{{0, 64 << 20}, 64 << 14, 64, true};
  EXPECT_EQ(choose_service(shape, Options{}, local, 64, 1), Service::direct);
  const CallShape smaller{{0, 64 << 20}, (64 << 14) - 1, 64, true};
  EXPECT_EQ(choose_service(smaller, Options{}, local, 64, 1), Service::tam);
}

TEST(ChooseService, large_is_what_has_several_blocks_and_no_neighbours_in_a_stripe) {
  const Pattern mebibytes = rows(1 << 20, 4, 4 << 20);
  EXPECT_TRUE(suits_direct(mebibytes, direct_sizes(256 << 10, 0)));
  EXPECT_FALSE(suits_direct(mebibytes, direct_sizes(512 << 10, 0)));
  EXPECT_FALSE(suits_direct(mebibytes, direct_sizes(4096, 1 << 20)));
  EXPECT_FALSE(suits_direct(mebibytes, direct_sizes(0, 0))) << "not known";
  EXPECT_EQ(direct_sizes(4096, 1 << 20).rank, 256 << 10);
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
