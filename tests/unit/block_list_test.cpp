// Lists of blocks in few bits, against the blocks they were made of.
#include "plan/block_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "support/random.hpp"

namespace headrace::plan {
namespace {

using test::Random;
using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;  // offsets, lengths

constexpr std::int64_t most_negative = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t most_positive = std::numeric_limits<std::int32_t>::max();

Blocks blocks_of(const Pieces& pieces) {
  Blocks blocks{{}, {0}};
  for (const auto& [offset, length] : pieces) {
    blocks.offsets.push_back(static_cast<std::int32_t>(offset));
    blocks.starts.push_back(blocks.starts.back() + static_cast<std::uint32_t>(length));
  }
  return blocks;
}

/// Ascending ones, near one another or far apart, in units of 1 to 8 bytes.
Pieces ascending(Random& random) {
  const std::int64_t unit = std::int64_t{1} << random.between(0, 3);
  const std::int64_t longest = random.between(1, 40);
  const std::int64_t farthest = random.between(0, 2000);
  Pieces pieces;
  std::int64_t at = random.between(-1000, 1000);
  for (std::int64_t n = random.between(1, 300); n > 0; --n) {
    pieces.emplace_back(at, unit * random.between(1, longest));
    at += pieces.back().second + unit * random.between(0, farthest);
    if (random.between(0, 99) == 0) at += random.between(0, 1'000'000);
  }
  return pieces;
}

/// Anywhere that a list reaches.
Pieces anywhere(Random& random) {
  Pieces pieces;
  for (std::int64_t n = random.between(1, 200); n > 0; --n) {
    const std::int64_t offset = random.between(0, 9) == 0
                                    ? (random.between(0, 1) == 0 ? most_negative : most_positive)
                                    : random.between(most_negative, most_positive);
    pieces.emplace_back(offset, random.between(1, 9));
  }
  return pieces;
}

Pieces read(BlockList::Reader reader) {
  Pieces pieces;
  for (; !reader.at_end(); reader.advance()) pieces.emplace_back(reader.offset(), reader.length());
  return pieces;
}

Pieces passed(BlockList::Reader& reader, std::int64_t bytes) {
  Pieces pieces;
  std::int64_t sum = 0;
  const std::int64_t given =
      reader.pass_whole(bytes, [&](std::int64_t offset, std::int64_t length) {
        pieces.emplace_back(offset, length);
        sum += length;
      });
  EXPECT_EQ(given, sum);
  return pieces;
}

/// Whole, from any byte on, and as far as any number of bytes goes.
void expect_same(Random& random, const Pieces& pieces) {
  const Blocks blocks = blocks_of(pieces);
  const BlockList list(blocks);
  ASSERT_EQ(list.size(), std::ssize(pieces));
  ASSERT_EQ(list.bytes(), blocks.starts.back());
  ASSERT_EQ(read(list.from(0)), pieces);
  ASSERT_TRUE(list == BlockList(blocks));
  for (int i = 0; i < 20; ++i) {
    const std::int64_t position = random.between(0, list.bytes() - 1);
    const auto behind = std::ranges::upper_bound(blocks.starts, position);
    const auto first = behind - blocks.starts.begin() - 1;
    BlockList::Reader reader = list.from(position);
    ASSERT_EQ(reader.start(), blocks.starts[first]);
    ASSERT_EQ(read(reader), Pieces(pieces.begin() + first, pieces.end()));

    const std::int64_t bytes = random.between(0, list.bytes() - reader.start());
    const auto end =
        std::ranges::upper_bound(blocks.starts, reader.start() + bytes) - blocks.starts.begin() - 1;
    ASSERT_EQ(passed(reader, bytes), Pieces(pieces.begin() + first, pieces.begin() + end));
    ASSERT_EQ(read(reader), Pieces(pieces.begin() + end, pieces.end()));
  }
}

TEST(BlockList, ascending_blocks_are_read_as_they_are) {
  for (std::uint64_t seed = 0; seed < 500 && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random{seed, 1};
    expect_same(random, ascending(random));
  }
}

TEST(BlockList, blocks_anywhere_are_read_as_they_are) {
  for (std::uint64_t seed = 0; seed < 500 && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random{seed, 2};
    expect_same(random, anywhere(random));
  }
}

TEST(BlockList, the_longest_blocks_that_lists_hold_are_read_as_they_are) {
  Random random{1, 3};
  constexpr std::int64_t longest = std::numeric_limits<std::uint32_t>::max() - 3;
  expect_same(random, {{most_positive, 1}, {most_negative, longest}, {0, 2}});
  expect_same(random, {{most_negative, longest}});
}

TEST(BlockList, others_are_not_the_same) {
  const Pieces pieces{{0, 4}, {8, 4}, {24, 4}};
  const BlockList list(blocks_of(pieces));
  EXPECT_FALSE(list == BlockList(blocks_of({{0, 4}, {8, 4}, {32, 4}})));
  EXPECT_FALSE(list == BlockList(blocks_of({{0, 4}, {8, 4}, {24, 8}})));
  EXPECT_FALSE(list == BlockList(blocks_of({{0, 4}, {8, 4}})));
}

TEST(BlockList, bytes_below_an_offset_are_counted) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random{seed, 4};
    const Pieces pieces = ascending(random);
    const BlockList list(blocks_of(pieces));
    std::size_t near = 0;
    for (int i = 0; i < 50; ++i) {
      const auto& [place, size] = pieces[random.between(0, std::ssize(pieces) - 1)];
      const std::int64_t offset = place + random.between(-3, size + 3);
      std::int64_t below = 0;
      for (const auto& [begin, length] : pieces)
        below += std::clamp<std::int64_t>(offset - begin, 0, length);
      ASSERT_EQ(list.bytes_below(offset, nullptr), below);
      ASSERT_EQ(list.bytes_below(offset, &near), below);
      if (random.between(0, 9) == 0) near = random.between(0, 9);
    }
  }
}

}  // namespace
}  // namespace headrace::plan
