#include "bench/content.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace headrace::bench {
namespace {

std::vector<std::byte> content(std::int64_t offset, std::size_t length) {
  std::vector<std::byte> bytes(length);
  content_at(offset, bytes);
  return bytes;
}

/// `count` blocks of 3 bytes, 7 apart, from `offset` on.
plan::Pattern strided(std::int64_t offset, std::int64_t count) {
  plan::PlacedLayout placed = plan::repeat(plan::contiguous(3), count, 7);
  placed.offset += offset;
  return {placed, 0, placed.layout->size()};
}

plan::Pattern block(std::int64_t offset, std::int64_t length) {
  const plan::PlacedLayout placed{offset, plan::contiguous(length).layout};
  return {placed, 0, length};
}

TEST(Content, no_byte_is_zero) {
  const auto bytes = content(0, 1 << 20);
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte{0}), 0);
}

TEST(Content, depends_on_the_offset_and_not_on_how_it_is_cut) {
  const auto whole = content(0, 1000);
  for (const std::size_t offset : {1U, 7U, 8U, 13U, 500U})
    EXPECT_TRUE(std::equal(whole.begin() + offset, whole.end(),
                           content(static_cast<std::int64_t>(offset), 1000 - offset).begin()));
}

TEST(Content, is_another_at_another_offset) {
  EXPECT_NE(content(0, 64), content(64, 64));
  EXPECT_NE(content(0, 64), content(std::int64_t{1} << 40, 64));
}

TEST(Content, first_wrong_byte_is_found_in_every_chunk) {
  for (const std::size_t wrong : {0U, 1U, 4095U, 4096U, 9999U}) {
    auto bytes = content(5, 10000);
    EXPECT_FALSE(first_wrong(5, bytes));
    bytes[wrong] ^= std::byte{1};
    EXPECT_EQ(first_wrong(5, bytes), wrong);
  }
}

TEST(Content, filled_buffer_is_right_until_a_byte_of_it_changes) {
  const Part part{strided(100, 5), block(2, 15)};
  std::array<std::byte, 20> buffer{};
  EXPECT_EQ(first_wrong_in(part, buffer.data()), 100);
  fill(part, buffer.data());
  EXPECT_EQ(first_wrong_in(part, buffer.data()), std::nullopt);
  EXPECT_EQ(buffer[1], std::byte{0});
  EXPECT_EQ(buffer[17], std::byte{0});
  buffer[2 + 4] = std::byte{0};  // the second block's second byte
  EXPECT_EQ(first_wrong_in(part, buffer.data()), 108);
}

TEST(Content, empty_part_is_right) {
  EXPECT_EQ(first_wrong_in({}, nullptr), std::nullopt);
  fill({}, nullptr);
}

}  // namespace
}  // namespace headrace::bench
