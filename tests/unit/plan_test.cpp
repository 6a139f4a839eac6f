// How a call is served, its windows, and their order.
#include "plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace headrace::plan {
namespace {

using testing::ElementsAre;

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
