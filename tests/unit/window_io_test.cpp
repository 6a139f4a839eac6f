// Which blocks of a window are read, and that none is read twice.
#include "engine/window_io.hpp"

#include <gtest/gtest.h>

namespace headrace::engine {
namespace {

constexpr std::int64_t block = 4096;
constexpr std::int64_t no_gap = 0;

plan::RunEncoder requests_of(Extent window, std::initializer_list<Extent> extents) {
  plan::RunEncoder encoder;
  for (const Extent extent : extents)
    encoder.add({extent.begin - window.begin, extent.length(), 0, 1});
  encoder.finish();
  return encoder;
}

TEST(BlocksRead, whole_blocks_of_the_window_are_read) {
  const Extent window{1000, 1000 + 10 * block};
  BlocksRead read(window);
  EXPECT_EQ(read.still_to_read(requests_of(window, {{1001, 1002}}), no_gap),
            (std::vector<Extent>{{1000, 1000 + block}}));
  EXPECT_EQ(read.still_to_read(requests_of(window, {{1000 + 2 * block, 1001 + 3 * block}}), no_gap),
            (std::vector<Extent>{{1000 + 2 * block, 1000 + 4 * block}}));
}

TEST(BlocksRead, last_block_ends_with_the_window) {
  const Extent window{0, 2 * block + 10};
  BlocksRead read(window);
  EXPECT_EQ(read.still_to_read(requests_of(window, {{2 * block, 2 * block + 10}}), no_gap),
            (std::vector<Extent>{{2 * block, 2 * block + 10}}));
}

TEST(BlocksRead, no_block_is_read_twice) {
  const Extent window{0, 10 * block};
  BlocksRead read(window);
  const auto middle = requests_of(window, {{3 * block, 5 * block}});
  EXPECT_EQ(read.still_to_read(middle, no_gap), (std::vector<Extent>{{3 * block, 5 * block}}));
  EXPECT_TRUE(read.still_to_read(middle, no_gap).empty());
  EXPECT_EQ(read.still_to_read(requests_of(window, {{0, 10 * block}}), no_gap),
            (std::vector<Extent>{{0, 3 * block}, {5 * block, 10 * block}}));
}

TEST(BlocksRead, small_holes_are_read_along_and_large_ones_are_not) {
  const Extent window{0, 20 * block};
  const auto requests =
      requests_of(window, {{0, 1}, {3 * block, 3 * block + 1}, {9 * block, 9 * block + 1}});
  EXPECT_EQ(BlocksRead(window).still_to_read(requests, 2 * block),
            (std::vector<Extent>{{0, 4 * block}, {9 * block, 10 * block}}));
  EXPECT_EQ(BlocksRead(window).still_to_read(requests, window.length()),
            (std::vector<Extent>{{0, 10 * block}}));
  EXPECT_EQ(BlocksRead(window).still_to_read(requests, no_gap),
            (std::vector<Extent>{{0, block}, {3 * block, 4 * block}, {9 * block, 10 * block}}));
}

TEST(BlocksRead, requests_in_one_block_are_one_read) {
  const Extent window{0, block};
  const auto requests = requests_of(window, {{0, 1}, {100, 101}, {4000, 4096}});
  EXPECT_EQ(BlocksRead(window).still_to_read(requests, no_gap), (std::vector<Extent>{{0, block}}));
}

TEST(BlocksRead, no_requests_need_nothing) {
  const Extent window{0, block};
  EXPECT_TRUE(BlocksRead(window).still_to_read(requests_of(window, {}), block).empty());
}

}  // namespace
}  // namespace headrace::engine
