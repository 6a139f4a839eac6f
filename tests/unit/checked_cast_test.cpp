#include "base/checked_cast.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace headrace {
namespace {

constexpr std::int64_t largest_int = std::numeric_limits<int>::max();

TEST(CheckedCast, keeps_what_fits) {
  EXPECT_EQ(checked_cast<int>(largest_int), largest_int);
  EXPECT_EQ(checked_cast<std::size_t>(std::int64_t{0}), 0u);
  EXPECT_EQ(checked_cast<std::int64_t>(-1), -1);
}

TEST(CheckedCast, refuses_what_is_too_large_or_of_the_wrong_sign) {
  EXPECT_EQ(checked_cast<int>(largest_int + 1), std::nullopt);
  EXPECT_EQ(checked_cast<int>(-largest_int - 2), std::nullopt);
  EXPECT_EQ(checked_cast<std::size_t>(std::int64_t{-1}), std::nullopt);
  EXPECT_EQ(checked_cast<std::int64_t>(std::numeric_limits<std::uint64_t>::max()), std::nullopt);
}

}  // namespace
}  // namespace headrace
