#include "engine/message_buffers.hpp"

#include <gtest/gtest.h>

namespace headrace::engine {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

TEST(MessageBuffers, what_comes_back_is_given_again) {
  MessageBuffers buffers;
  const std::byte* first = nullptr;
  {
    const auto buffer = buffers.take(mebibyte);
    first = buffer.get();
    EXPECT_NE(buffers.take(mebibyte).get(), first) << "it is in use";
  }
  const auto shorter = buffers.take(mebibyte * 3 / 4);
  const auto other = buffers.take(mebibyte);
  EXPECT_TRUE(shorter.get() == first || other.get() == first);
}

TEST(MessageBuffers, a_short_message_takes_no_long_buffer) {
  MessageBuffers buffers;
  const std::byte* const kept = buffers.take(8 * mebibyte).get();
  const auto small = buffers.take(mebibyte);
  EXPECT_NE(small.get(), kept);
  EXPECT_EQ(buffers.take(8 * mebibyte).get(), kept);
}

TEST(MessageBuffers, keeps_no_more_than_it_may_the_last_used_ones) {
  MessageBuffers buffers;
  constexpr std::size_t half = MessageBuffers::most_kept / 2;
  auto first = buffers.take(half);
  auto second = buffers.take(half);
  auto third = buffers.take(half);
  const std::byte* const second_at = second.get();
  const std::byte* const third_at = third.get();
  first = {};
  second = {};
  third = {};
  EXPECT_EQ(buffers.kept_bytes(), 2 * half);
  const auto a = buffers.take(half);
  const auto b = buffers.take(half);
  EXPECT_TRUE(a.get() == second_at && b.get() == third_at);
  buffers.take(MessageBuffers::most_kept + 1);
  buffers.take(1);
  EXPECT_EQ(buffers.kept_bytes(), 0U);
}

}  // namespace
}  // namespace headrace::engine
