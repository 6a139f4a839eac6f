// What form layouts take: that what has a rule becomes few nodes, and stays what it was.
#include "plan/layout.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <variant>
#include <vector>

#include "plan/pattern.hpp"
#include "support/layout_nodes.hpp"
#include "support/random.hpp"
#include "support/walked.hpp"

namespace headrace::plan {
namespace {

TEST(Layout, a_billion_rows_are_one_node) {
  const PlacedLayout rows = repeat(contiguous(8), 1'000'000'000, 4096);
  EXPECT_EQ(rows.layout->size(), 8'000'000'000);
  EXPECT_EQ(rows.layout->block_count(), 1'000'000'000);
  const Pattern pattern(rows, 0, rows.layout->size());
  EXPECT_EQ(pattern.offset_of(7'999'999'999), 999'999'999LL * 4096 + 7);
  EXPECT_EQ(pattern.bytes_below(500'000'000LL * 4096), 4'000'000'000);
}

TEST(Layout, touching_copies_become_contiguous) {
  EXPECT_TRUE(repeat(contiguous(8), 100, 8).layout->is_contiguous());
  EXPECT_TRUE(blocks(std::vector<std::int64_t>{0, 4, 6}, std::vector<std::int64_t>{4, 2, 9})
                  .layout->is_contiguous());
}

TEST(Layout, regular_blocks_become_one_repeat) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < 100'000; ++i) offsets.push_back(i * 24);
  const PlacedLayout regular = blocks(offsets, std::vector<std::int64_t>(offsets.size(), 8));
  EXPECT_TRUE(std::holds_alternative<Repeat>(regular.layout->node()));
}

TEST(Layout, elements_of_arrays_in_turns_become_one_node) {
  // Nine variables of 4, 8 and 2 bytes, each an array: HACC-IO's particles in memory.
  constexpr std::array<std::int64_t, 9> fields{4, 4, 4, 4, 4, 4, 4, 8, 2};
  constexpr std::int64_t particles = 25'000;
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> lengths;
  for (std::int64_t particle = 0; particle < particles; ++particle) {
    std::int64_t begin = 1000;
    for (const std::int64_t field : fields) {
      offsets.push_back(begin + particle * field);
      lengths.push_back(field);
      begin += particles * field;
    }
  }
  const PlacedLayout placed = blocks(offsets, lengths);
  ASSERT_TRUE(std::holds_alternative<Interleaved>(placed.layout->node()));
  EXPECT_EQ(placed.offset, 1000);
  EXPECT_EQ(placed.layout->block_count(), 9 * particles);
  EXPECT_EQ(placed.layout->size(), 38 * particles);
  EXPECT_EQ(placed.layout->span(), (Extent{0, 38 * particles}));
  EXPECT_FALSE(placed.layout->monotone());
}

void expect_blocks(const PlacedLayout& placed, const std::vector<std::int64_t>& offsets,
                   const std::vector<std::int64_t>& lengths) {
  std::size_t next = 0;
  RunCursor(Pattern(placed)).for_each_piece([&](std::int64_t offset, std::int64_t length) {
    ASSERT_LT(next, offsets.size());
    ASSERT_EQ(offset, offsets[next]);
    ASSERT_EQ(length, lengths[next++]);
  });
  EXPECT_EQ(next, offsets.size());
}

/// As PnetCDF lists what E3SM F asks for: the columns of a rank, level by level, variable by
/// variable.
TEST(Layout, columns_of_many_levels_and_variables_become_one_list) {
  constexpr int columns = 430;
  constexpr int levels = 72;
  constexpr int variables = 20;
  for (const std::int64_t padding : {0, 128}) {  // between variables
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> lengths;
    std::int64_t begin = 512;
    for (int variable = 0; variable < variables; ++variable, begin += padding) {
      for (int level = 0; level < levels; ++level) {
        std::minstd_rand random(7);
        for (int column = 0; column < columns; ++column) {
          begin += static_cast<std::int64_t>(8 * (1 + random() % 20));
          offsets.push_back(begin);
          lengths.push_back(static_cast<std::int64_t>(8 * (1 + random() % 6)));
          begin += lengths.back();
        }
      }
    }
    const PlacedLayout placed = blocks(offsets, lengths);
    EXPECT_LT(test::node_count(placed.layout), columns + 10) << padding;
    EXPECT_EQ(placed.layout->block_count(), columns * levels * variables);
    EXPECT_TRUE(placed.layout->monotone());
    expect_blocks(placed, offsets, lengths);
  }
}

/// What is left of the first ones makes a long list at once, which is full before it has doubled.
TEST(Layout, blocks_that_recur_are_found_behind_many_that_do_not) {
  test::Random random{5};
  std::vector<std::int64_t> offsets;
  std::int64_t end = 0;
  const auto add_recurring = [&](std::int64_t slots, std::int64_t count) {
    std::vector<std::int64_t> firsts;
    const std::int64_t begin = end;
    for (std::int64_t i = 0; i < slots; ++i, end += random.between(9, 40)) firsts.push_back(end);
    const std::int64_t stride = end - begin;
    for (std::int64_t block = 0; block < count; ++block)
      offsets.push_back(firsts[block % slots] + block / slots * stride);
    end = begin + (count / slots + 1) * stride;
  };
  add_recurring(40'000, 199'999);
  add_recurring(60'000, 360'000);
  const std::vector<std::int64_t> lengths(offsets.size(), 8);
  const PlacedLayout placed = blocks(offsets, lengths);
  EXPECT_LT(test::node_count(placed.layout), 40'000 + 39'999 + 60'000 + 100);
  expect_blocks(placed, offsets, lengths);
}

/// Their offsets are up to 2^32 apart, which is more than the numbers of a list hold.
TEST(Layout, blocks_that_recur_may_lie_far_apart) {
  constexpr std::int64_t reach = std::int64_t{1} << 31;
  constexpr std::int64_t slots = 500;
  test::Random random{3};
  std::vector<std::int64_t> firsts{0};
  while (std::ssize(firsts) < slots) firsts.push_back(random.between(-reach, reach - 2'000));
  std::vector<std::int64_t> offsets;
  for (std::int64_t block = 0; block < 20 * slots; ++block)
    offsets.push_back(firsts[block % slots] + block / slots * 16);
  const std::vector<std::int64_t> lengths(offsets.size(), 8);
  const PlacedLayout placed = blocks(offsets, lengths);
  EXPECT_LT(test::node_count(placed.layout), 2 * slots);
  expect_blocks(placed, offsets, lengths);
}

/// As a library lists the rows of several arrays of three dimensions, of each of which a rank has a
/// part.
TEST(Layout, rows_of_planes_of_arrays_become_few_nodes) {
  constexpr std::int64_t rows = 20;
  constexpr std::int64_t planes = 30;
  constexpr std::int64_t arrays = 16;
  std::vector<std::int64_t> offsets;
  for (std::int64_t array = 0; array < arrays; ++array)
    for (std::int64_t plane = 0; plane < planes; ++plane)
      for (std::int64_t row = 0; row < rows; ++row)
        offsets.push_back(((array * 3 * planes + plane) * 2 * rows + row) * 100);
  const PlacedLayout placed = blocks(offsets, std::vector<std::int64_t>(offsets.size(), 50));
  const PlacedLayout array = repeat(repeat(contiguous(50), rows, 100), planes, 2 * rows * 100);
  EXPECT_TRUE(same(placed.layout, repeat(array, arrays, 3 * planes * 2 * rows * 100).layout));
}

TEST(Layout, children_alike_at_one_stride_become_one_repeat) {
  const PlacedLayout list =
      blocks(std::vector<std::int64_t>{0, 5, 11}, std::vector<std::int64_t>{1, 2, 3});
  const PlacedLayout other =
      blocks(std::vector<std::int64_t>{0, 5, 11}, std::vector<std::int64_t>{1, 2, 3});
  const auto at = [](PlacedLayout placed, std::int64_t offset) {
    placed.offset += offset;
    return placed;
  };
  const PlacedLayout three = sequence(std::vector{at(list, 100), at(other, 130), at(list, 160)});
  EXPECT_EQ(three.offset, 100);
  EXPECT_TRUE(same(three.layout, repeat(list, 3, 30).layout));
  const PlacedLayout mixed = sequence(
      std::vector{at(list, 0), at(contiguous(9), 20), at(other, 40), at(list, 60), at(list, 90)});
  EXPECT_TRUE(same(mixed.layout, sequence(std::vector{list, at(contiguous(9), 20),
                                                      at(repeat(list, 2, 20), 40), at(list, 90)})
                                     .layout));
  EXPECT_EQ(test::walked(RunCursor(Pattern(mixed)), 0).size(), std::size_t{4 * 6 + 9});
}

TEST(Layout, regular_blocks_far_apart_become_one_repeat) {
  constexpr std::int64_t gibibyte = 1 << 30;
  for (const std::int64_t length : {std::int64_t{8}, 5 * gibibyte}) {
    std::vector<std::int64_t> offsets;
    for (std::int64_t i = 0; i < 100; ++i) offsets.push_back(i * 7 * gibibyte);
    const PlacedLayout regular = blocks(offsets, std::vector<std::int64_t>(offsets.size(), length));
    EXPECT_TRUE(std::holds_alternative<Repeat>(regular.layout->node())) << length;
  }
}

}  // namespace
}  // namespace headrace::plan
