// Layouts and the cursor that walks them, against layouts flattened byte by byte.
#include "plan/pattern.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <utility>
#include <vector>

#include "support/layout_nodes.hpp"
#include "support/walked.hpp"

namespace headrace::plan {
namespace {

/// Every byte's offset, in stream order, made with no help from the code under test.
struct FlatLayout {
  PlacedLayout placed;
  std::vector<std::int64_t> bytes;
};

/// Blocks one by one, with every byte of theirs.
struct FlatBlocks {
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> bytes;

  void add(std::int64_t offset, std::int64_t length) {
    offsets.push_back(offset);
    lengths.push_back(length);
    for (std::int64_t b = 0; b < length; ++b) bytes.push_back(offset + b);
  }
  FlatLayout layout() const { return {blocks(offsets, lengths), bytes}; }
};

class RandomLayouts {
 public:
  explicit RandomLayouts(unsigned seed) : random_(seed) {}

  FlatLayout make(int depth) {
    switch (depth == 0 ? 0 : pick(0, 3)) {
      case 0: {
        FlatLayout flat{contiguous(pick(0, 9)), {}};
        const std::int64_t length = flat.placed.layout ? flat.placed.layout->size() : 0;
        for (std::int64_t i = 0; i < length; ++i) flat.bytes.push_back(i);
        return flat;
      }
      case 1: {
        const FlatLayout child = make(depth - 1);
        const std::int64_t count = pick(0, 5);
        const std::int64_t stride = pick(-20, 60);
        FlatLayout flat{repeat(child.placed, count, stride), {}};
        for (std::int64_t i = 0; i < count; ++i)
          for (const std::int64_t byte : child.bytes) flat.bytes.push_back(byte + i * stride);
        return flat;
      }
      case 2: {
        FlatBlocks flat;
        std::int64_t offset = pick(-10, 10);
        const std::int64_t regular = pick(0, 2);
        for (std::int64_t i = pick(0, 40); i > 0; --i) {
          flat.add(offset, regular ? 3 : pick(0, 4));
          offset += regular ? 7 : pick(flat.lengths.back(), 9);
        }
        return flat.layout();
      }
      default: {
        FlatLayout flat;
        std::vector<PlacedLayout> children;
        for (std::int64_t i = pick(0, 4); i > 0; --i) {
          FlatLayout child = make(depth - 1);
          const std::int64_t shift = pick(-50, 400);
          child.placed.offset += shift;
          for (const std::int64_t byte : child.bytes) flat.bytes.push_back(byte + shift);
          children.push_back(child.placed);
        }
        flat.placed = sequence(children);
        return flat;
      }
    }
  }

  /// Elements of arrays in turns, between others: ascending ones, or anywhere.
  FlatLayout interleaved() {
    FlatBlocks flat;
    std::int64_t end = 0;
    const auto add_others = [&] {
      for (std::int64_t i = pick(0, 60); i > 0; --i, end += pick(4, 9)) flat.add(end, pick(1, 4));
    };
    add_others();
    const bool ascending = pick(0, 1) == 1;
    const std::int64_t slots = pick(2, 70);
    const std::int64_t turns = pick(800, 1500) / slots;
    std::vector<std::int64_t> firsts;
    std::vector<std::int64_t> lengths;
    std::vector<std::int64_t> strides;
    for (std::int64_t i = 0; i < slots; ++i) {
      lengths.push_back(pick(1, 4));
      firsts.push_back(ascending ? end : pick(-1000, 1000));
      strides.push_back(ascending && i > 0 ? strides.back() + pick(0, 1) : pick(-9, 9));
      end += lengths.back() + pick(0, 2);
    }
    if (ascending)  // so that turns follow one another
      for (std::int64_t& stride : strides) stride += end - firsts[0] + turns * slots;
    for (std::int64_t block = 0; block < turns * slots + pick(0, slots - 1); ++block) {
      const std::int64_t i = block % slots;
      flat.add(firsts[i] + block / slots * strides[i], lengths[i]);
      end = flat.bytes.back() + 1;
    }
    add_others();
    return flat.layout();
  }

  /// Blocks without a rule that recur at one stride, a few times each, between others.
  FlatLayout recurring() {
    FlatBlocks flat;
    std::int64_t end = 0;
    for (std::int64_t stretch = pick(1, 3); stretch > 0; --stretch) {
      const std::int64_t slots = pick(65, 400);
      const bool ascending = pick(0, 1) == 1;
      std::vector<std::int64_t> firsts;
      std::vector<std::int64_t> lengths;
      for (std::int64_t i = 0; i < slots; ++i, end += lengths.back() + pick(0, 5)) {
        lengths.push_back(pick(1, 4));
        firsts.push_back(ascending ? end : pick(-1000, 1000));
      }
      const std::int64_t stride = ascending ? end - firsts[0] + pick(0, 9) : pick(-2000, 2000);
      const std::int64_t turns = pick(1, 9);
      const std::int64_t count = turns * slots + pick(0, slots - 1);
      for (std::int64_t block = 0; block < count; ++block)
        flat.add(firsts[block % slots] + block / slots * stride, lengths[block % slots]);
      end = flat.bytes.back() + 1;
      for (std::int64_t i = pick(0, 60); i > 0; --i, end += pick(4, 9)) flat.add(end, pick(1, 4));
    }
    return flat.layout();
  }

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

 private:
  std::mt19937 random_;
};

std::int64_t blocks_walked(const PlacedLayout& placed) {
  RunCursor cursor(Pattern(placed, 0, placed.layout->size()));
  std::int64_t count = 0;
  for (Run run; cursor.next(run);) count += run.count;
  return count;
}

bool ascends(const std::vector<std::int64_t>& bytes) {
  return std::adjacent_find(bytes.begin(), bytes.end(), std::greater_equal<>()) == bytes.end();
}

TEST(Pattern, regular_stretches_that_follow_one_another_are_walked_byte_by_byte) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    RandomLayouts random(seed);
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> lengths;
    std::vector<std::int64_t> bytes;
    std::int64_t offset = 0;
    for (std::int64_t stretch = random.pick(1, 6); stretch > 0; --stretch) {
      const std::int64_t length = random.pick(1, 2);
      const std::int64_t stride = random.pick(-1, 4);
      for (std::int64_t i = random.pick(1, 40); i > 0; --i, offset += stride) {
        offsets.push_back(offset);
        lengths.push_back(length);
        for (std::int64_t b = 0; b < length; ++b) bytes.push_back(offset + b);
      }
    }
    const PlacedLayout placed = blocks(offsets, lengths);
    ASSERT_EQ(test::walked(RunCursor(Pattern(placed)), 0), bytes) << seed;
  }
}

bool is_one_piece_when_walked(RunCursor cursor) {
  Run run;
  return !cursor.next(run) || (run.count == 1 && cursor.left() == 0);
}

/// Whether it was known to be monotone, and looked through.
bool expect_walked(const FlatLayout& flat, RandomLayouts& random) {
  const auto size = static_cast<std::int64_t>(flat.bytes.size());
  EXPECT_EQ(flat.placed.layout ? flat.placed.layout->size() : 0, size);
  const std::int64_t begin = random.pick(0, size);
  const std::int64_t end = random.pick(begin, size);
  const Pattern pattern(flat.placed, begin, end);
  const std::vector<std::int64_t> bytes(flat.bytes.begin() + begin, flat.bytes.begin() + end);
  for (const int asked_for : {0, 1, 4, 1000})
    EXPECT_EQ(test::walked(RunCursor(pattern), asked_for), bytes);
  if (size == 0) return false;
  EXPECT_EQ(blocks_walked(flat.placed), flat.placed.layout->block_count());
  if (bytes.empty()) return false;
  const std::int64_t from = random.pick(0, pattern.size());
  EXPECT_EQ(test::walked(RunCursor(pattern, from, pattern.size()), 0),
            std::vector<std::int64_t>(bytes.begin() + from, bytes.end()));
  const RunCursor few(pattern, from, std::min(from + random.pick(0, 5), pattern.size()));
  EXPECT_EQ(few.is_one_piece(), is_one_piece_when_walked(few));
  EXPECT_EQ(pattern.is_contiguous(), is_one_piece_when_walked(RunCursor(pattern)));
  if (!ascends(flat.bytes)) return false;
  // A layout may be monotone and not be known as such; the other way round never.
  if (!pattern.monotone()) return false;
  EXPECT_EQ(pattern.span(), (Extent{bytes.front(), bytes.back() + 1}));
  std::size_t near = 0;
  for (std::int64_t offset = bytes.front() - 2; offset < bytes.back() + 3; ++offset) {
    const auto below = std::lower_bound(bytes.begin(), bytes.end(), offset) - bytes.begin();
    EXPECT_EQ(pattern.bytes_below(offset), below) << "at " << offset;
    if (random.pick(0, 2) > 0) continue;
    EXPECT_EQ(pattern.bytes_below(offset, &near), below) << "at " << offset;
    if (random.pick(0, 9) == 0) near = random.pick(0, 100);
  }
  return true;
}

/// Of one node in another, `depth` times, around blocks of any kind.
FlatLayout nested(RandomLayouts& random, int depth) {
  FlatLayout flat = random.make(1);
  for (; depth > 0; --depth) {
    const std::vector<std::int64_t> bytes = flat.bytes;
    const PlacedLayout child = flat.placed;
    const std::int64_t by = random.pick(1, 9) * 10 * (1 + std::ssize(bytes));
    for (const std::int64_t byte : bytes) flat.bytes.push_back(byte + by);
    const bool repeats = random.pick(0, 1) == 0;
    flat.placed = repeats
                      ? repeat(child, 2, by)
                      : sequence(std::array{child, PlacedLayout{child.offset + by, child.layout}});
    if (!repeats) {
      flat.bytes.push_back(2 * by);
      flat.placed = sequence(std::array{flat.placed, PlacedLayout{2 * by, contiguous(1).layout}});
    }
  }
  return flat;
}

TEST(Pattern, deep_layouts_are_walked_byte_by_byte) {
  for (unsigned seed = 0; seed < 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomLayouts random(seed);
    expect_walked(nested(random, static_cast<int>(random.pick(3, 9))), random);
  }
}

TEST(Pattern, random_layouts_are_walked_byte_by_byte) {
  int monotone_layouts = 0;
  for (unsigned seed = 0; seed < 4000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomLayouts random(seed);
    if (expect_walked(random.make(3), random)) ++monotone_layouts;
  }
  EXPECT_GT(monotone_layouts, 300);
}

/// How many were known to be monotone, and how many took much less than a list of their blocks.
struct Walked {
  int monotone = 0;
  int shorter = 0;
};

/// Layouts of lists in which there is a rule, one for each seed.
Walked expect_walked(unsigned seeds, FlatLayout (RandomLayouts::*make)()) {
  Walked walked;
  for (unsigned seed = 0; seed < seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomLayouts random(seed);
    const FlatLayout flat = (random.*make)();
    const Layout& layout = *flat.placed.layout;
    walked.monotone += expect_walked(flat, random) ? 1 : 0;
    walked.shorter += test::node_count(flat.placed.layout) < layout.block_count() / 2 ? 1 : 0;
    EXPECT_TRUE(ascends(flat.bytes) || !layout.monotone());
    RandomLayouts again(seed);
    EXPECT_TRUE(same(flat.placed.layout, (again.*make)().placed.layout));
  }
  return walked;
}

TEST(Pattern, elements_of_arrays_in_turns_are_walked_byte_by_byte) {
  const Walked walked = expect_walked(1000, &RandomLayouts::interleaved);
  EXPECT_GT(walked.monotone, 300);
  EXPECT_GT(walked.shorter, 900);
}

TEST(Pattern, what_recurs_is_walked_byte_by_byte) {
  const Walked walked = expect_walked(300, &RandomLayouts::recurring);
  EXPECT_GT(walked.monotone, 50);
  EXPECT_GT(walked.shorter, 150);
}

TEST(Pattern, a_layout_that_is_not_ascending_is_never_called_monotone) {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    const FlatLayout flat = RandomLayouts(seed).make(3);
    if (!flat.placed.layout || ascends(flat.bytes)) continue;
    ASSERT_FALSE(flat.placed.layout->monotone()) << seed;
  }
}

/// Lists hold offsets and positions of 32 bits: blocks as far apart, and as long, go beyond.
TEST(Pattern, lists_that_reach_far_are_walked_piece_by_piece) {
  using Piece = std::pair<std::int64_t, std::int64_t>;
  constexpr std::int64_t reach = std::int64_t{1} << 32;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    RandomLayouts random(seed);
    const bool ascending = random.pick(0, 1) == 1;
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> lengths;
    std::vector<Piece> pieces;
    std::int64_t offset = random.pick(-reach, reach);
    for (std::int64_t i = random.pick(1, 60); i > 0; --i) {
      const std::int64_t length =
          random.pick(0, 5) == 0 ? random.pick(reach / 2 - 2, reach + 2) : random.pick(1, 9);
      offsets.push_back(offset);
      lengths.push_back(length);
      pieces.emplace_back(offset, length);
      offset += length + 1;
      if (random.pick(0, 3) == 0) offset += random.pick(reach / 2 - 4, reach / 2 + 4);
      if (!ascending && random.pick(0, 3) == 0) offset -= random.pick(0, 3 * reach);
    }
    const Pattern pattern(blocks(offsets, lengths));
    std::vector<Piece> walked;
    std::int64_t position = 0;
    RunCursor(pattern).for_each_piece([&](std::int64_t begin, std::int64_t length) {
      walked.emplace_back(begin, length);
      ASSERT_EQ(pattern.offset_of(position), begin);
      ASSERT_EQ(pattern.offset_of(position + length - 1), begin + length - 1);
      if (ascending) {
        ASSERT_EQ(pattern.bytes_below(begin), position);
        ASSERT_EQ(pattern.bytes_below(begin + length + 1), position + length);
      }
      position += length;
    });
    // By chance a block begins where the one before it ends.
    std::vector<Piece> joined;
    for (const Piece& piece : pieces)
      if (!joined.empty() && joined.back().first + joined.back().second == piece.first)
        joined.back().second += piece.second;
      else
        joined.push_back(piece);
    ASSERT_EQ(walked, joined) << seed;
    ASSERT_EQ(position, pattern.size());
    if (ascending) {
      ASSERT_TRUE(pattern.monotone());
    }
  }
}

Pattern list_at(std::int64_t origin) {
  const std::vector<std::int64_t> offsets{origin, origin + 10, origin + 13, origin + 40};
  const std::vector<std::int64_t> lengths{3, 2, 5, 1};
  return Pattern(blocks(offsets, lengths));
}

TEST(Pattern, lists_at_different_places_are_the_same_but_for_their_place) {
  EXPECT_TRUE(same_but_for_place(list_at(0), list_at(123'456)));
  EXPECT_EQ(list_at(123'456).origin() - list_at(0).origin(), 123'456);
  EXPECT_FALSE(same_but_for_place(list_at(0), Pattern(contiguous(11)))) << "of the same size";
  EXPECT_TRUE(same_but_for_place(Pattern(), Pattern()));
  EXPECT_FALSE(same_but_for_place(Pattern(), list_at(0)));
}

TEST(Pattern, other_parts_of_one_layout_are_not_the_same) {
  const PlacedLayout rows = repeat(contiguous(3), 40, 97);
  EXPECT_TRUE(same_but_for_place(Pattern(rows, 3, 60), Pattern(rows, 3, 60)));
  EXPECT_FALSE(same_but_for_place(Pattern(rows, 3, 60), Pattern(rows, 4, 61)));
}

}  // namespace
}  // namespace headrace::plan
