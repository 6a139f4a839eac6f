// Copying between layouts, against bytes moved one at a time.
#include "engine/copy.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "plan/window.hpp"
#include "support/random.hpp"
#include "support/walked.hpp"

namespace headrace::engine {
namespace {

using test::Random;

/// Pieces of mostly a few numbers' length, in one of the forms that data is described in.
plan::Pattern random_pattern(Random& random) {
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> lengths;
  std::int64_t at = random.between(0, 50);
  for (std::int64_t n = random.between(0, 40); n > 0; --n) {
    offsets.push_back(at);
    lengths.push_back(random.between(0, 3) == 0 ? random.between(1, 90) : 4 * random.between(1, 5));
    at += lengths.back() + random.between(0, 2) * random.between(1, 30);
  }
  plan::PlacedLayout placed = plan::blocks(offsets, lengths);
  if (random.between(0, 3) == 0) placed = plan::repeat(placed, random.between(1, 4), at + 7);
  const std::int64_t size = placed.layout ? placed.layout->size() : 0;
  const std::int64_t begin = random.between(0, size);
  return {placed, begin, random.between(begin, size)};
}

/// The elements of arrays in turns.
plan::Pattern interleaved_pattern(Random& random) {
  const std::int64_t arrays = random.between(2, 9);
  const std::int64_t turns = 700 / arrays;
  std::vector<std::int64_t> firsts;
  std::vector<std::int64_t> sizes;
  std::int64_t end = random.between(0, 50);
  for (std::int64_t i = 0; i < arrays; ++i) {
    firsts.push_back(end);
    sizes.push_back(random.between(0, 1) == 0 ? random.between(1, 9) : 4 * random.between(1, 2));
    end += turns * (sizes.back() + 1);
  }
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < turns * arrays; ++i) {
    offsets.push_back(firsts[i % arrays] + i / arrays * (sizes[i % arrays] + 1));
    lengths.push_back(sizes[i % arrays]);
  }
  const plan::PlacedLayout placed = plan::blocks(offsets, lengths);
  EXPECT_TRUE(std::holds_alternative<plan::Interleaved>(placed.layout->node()));
  const std::int64_t size = placed.layout->size();
  const std::int64_t begin = random.between(0, 1) * random.between(0, size);
  return {placed, begin, random.between(0, 1) == 0 ? size : random.between(begin, size)};
}

std::vector<std::int64_t> bytes_of(const plan::Pattern& pattern) {
  return test::walked(plan::RunCursor(pattern), 0);
}

constexpr std::size_t room = 16384;

std::vector<std::byte> random_bytes(Random& random) {
  std::vector<std::byte> bytes(room);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

/// Copies by `copy`, and byte by byte; all of the target must be the same.
template <class Copy>
void expect_same(Random& random, const std::vector<std::int64_t>& to,
                 const std::vector<std::int64_t>& from, Copy copy) {
  const std::vector<std::byte> source = random_bytes(random);
  std::vector<std::byte> expected = random_bytes(random);
  std::vector<std::byte> copied = expected;
  for (std::size_t i = 0; i < std::min(to.size(), from.size()); ++i)
    expected[to[i]] = source[from[i]];
  copy(copied.data(), source.data());
  ASSERT_EQ(copied, expected);
}

TEST(Copy, two_layouts_until_either_ends) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random{seed};
    SCOPED_TRACE(seed);
    const plan::Pattern to = random_pattern(random);
    const plan::Pattern from = random_pattern(random);
    expect_same(random, bytes_of(to), bytes_of(from),
                [&](std::byte* target, const std::byte* source) {
                  copy_runs(target, plan::RunCursor(to), source, plan::RunCursor(from));
                });
    if (HasFatalFailure()) return;
  }
}

/// Some of its bytes, as ascending extents that do not touch.
std::vector<Extent> random_parts(Random& random, const plan::Pattern& pattern) {
  std::vector<Extent> parts;
  for (std::int64_t at = random.between(0, 9); at < pattern.size();) {
    const std::int64_t end = std::min(at + random.between(1, 60), pattern.size());
    parts.push_back({at, end});
    at = end + random.between(1, 30);
  }
  return parts;
}

TEST(Copy, parts_of_a_layout_and_a_list) {
  for (std::uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random{seed, 4};
    const plan::Pattern pattern = random_pattern(random);
    const plan::Pattern other = random_pattern(random);
    const plan::RunEncoder list = plan::encode_window(other, plan::Window({0, room}));
    const std::vector<Extent> parts = random_parts(random, pattern);
    const std::vector<std::int64_t> whole = bytes_of(pattern);
    std::vector<std::int64_t> bytes;
    for (const Extent& part : parts)
      bytes.insert(bytes.end(), whole.begin() + part.begin, whole.begin() + part.end);
    EXPECT_EQ(test::walked(PatternParts(pattern, parts), 0), bytes);
    expect_same(random, bytes, bytes_of(other), [&](std::byte* target, const std::byte* source) {
      copy_runs(target, PatternParts(pattern, parts), source, plan::RunDecoder(list.bytes()));
    });
    expect_same(random, bytes_of(other), bytes, [&](std::byte* target, const std::byte* source) {
      copy_runs(target, plan::RunDecoder(list.bytes()), source, PatternParts(pattern, parts));
    });
  }
}

/// Both ways. The stretch is shorter or longer, or as long.
void expect_same_with_stretch(Random& random, const plan::Pattern& pattern) {
  const std::int64_t length =
      random.between(0, 1) == 0 ? pattern.size() : random.between(0, 2 * pattern.size() + 1);
  const OneRun stretch(random.between(0, 99), length);
  const auto bytes = bytes_of(pattern);
  const auto straight = test::walked(stretch, 0);
  expect_same(random, bytes, straight, [&](std::byte* target, const std::byte* source) {
    copy_runs(target, plan::RunCursor(pattern), source, stretch);
  });
  expect_same(random, straight, bytes, [&](std::byte* target, const std::byte* source) {
    copy_runs(target, stretch, source, plan::RunCursor(pattern));
  });
}

TEST(Copy, a_layout_and_a_single_stretch) {
  for (std::uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random{seed, 1};
    expect_same_with_stretch(random, random_pattern(random));
  }
}

TEST(Copy, elements_of_arrays_in_turns) {
  for (std::uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random{seed, 3};
    const plan::Pattern pattern = interleaved_pattern(random);
    expect_same_with_stretch(random, pattern);
    const plan::Pattern other = random_pattern(random);
    expect_same(random, bytes_of(pattern), bytes_of(other),
                [&](std::byte* target, const std::byte* source) {
                  copy_runs(target, plan::RunCursor(pattern), source, plan::RunCursor(other));
                });
  }
}

TEST(Copy, lists_in_wire_form_moved) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random{seed, 2};
    SCOPED_TRACE(seed);
    const plan::Pattern pattern = random_pattern(random);
    const plan::Pattern memory = random_pattern(random);
    const plan::RunEncoder list = plan::encode_window(pattern, plan::Window({0, room}));
    const auto by = random.between(0, 1000);
    std::vector<std::int64_t> bytes = bytes_of(pattern);
    for (std::int64_t& byte : bytes) byte += by;
    const auto moved = [&] { return Moved(plan::RunDecoder(list.bytes()), by); };
    expect_same(random, bytes, bytes_of(memory), [&](std::byte* target, const std::byte* source) {
      copy_runs(target, moved(), source, plan::RunCursor(memory));
    });
    const auto all = std::ssize(bytes);
    expect_same(random, test::walked(OneRun(3, all), 0), bytes,
                [&](std::byte* target, const std::byte* source) {
                  copy_runs(target, OneRun(3, all), source, moved());
                });
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace headrace::engine
