// Offset-length lists: what is accepted, and what bytes they mean.
#include "plan/request_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace headrace::plan {
namespace {

using Numbers = std::vector<std::int64_t>;
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

RequestList list_of(const Numbers& offsets, const Numbers& lengths) {
  return {static_cast<std::int64_t>(offsets.size()), offsets.data(), lengths.data()};
}

std::string complaint(const Numbers& offsets, const Numbers& lengths, ListSide side) {
  return check_list(list_of(offsets, lengths), side).complaint;
}

TEST(RequestList, an_empty_list_needs_no_arrays) {
  const ListCheck check = check_list({0, nullptr, nullptr}, ListSide::file);
  EXPECT_EQ(check.complaint, "");
  EXPECT_EQ(check.bytes, 0);
  EXPECT_TRUE(pattern_of_list({0, nullptr, nullptr}).empty());
}

TEST(RequestList, file_entries_may_touch_and_may_be_empty_anywhere) {
  const ListCheck check = check_list(list_of({4, 0, 8, 20}, {4, 0, 2, 5}), ListSide::file);
  EXPECT_EQ(check.complaint, "");
  EXPECT_EQ(check.bytes, 11);
}

TEST(RequestList, file_entries_must_ascend_without_overlap) {
  EXPECT_THAT(complaint({0, 10, 9}, {4, 4, 1}, ListSide::file), testing::HasSubstr("entry 2"));
  EXPECT_THAT(complaint({0, 3}, {4, 4}, ListSide::file), testing::HasSubstr("entry 1"));
  EXPECT_THAT(complaint({-1}, {4}, ListSide::file), testing::HasSubstr("negative"));
}

TEST(RequestList, memory_entries_may_come_in_any_order) {
  EXPECT_EQ(complaint({10, -3, 10}, {4, 4, 4}, ListSide::memory), "");
}

TEST(RequestList, wrong_numbers_are_refused_on_both_sides) {
  for (const ListSide side : {ListSide::file, ListSide::memory}) {
    EXPECT_THAT(check_list({-1, nullptr, nullptr}, side).complaint, testing::HasSubstr("negative"));
    EXPECT_THAT(check_list({2, nullptr, nullptr}, side).complaint, testing::HasSubstr("NULL"));
    EXPECT_THAT(complaint({0}, {-2}, side), testing::HasSubstr("length is negative"));
    EXPECT_THAT(complaint({huge - 1}, {2}, side), testing::HasSubstr("2^63"));
  }
  EXPECT_THAT(complaint({0, -1, 0}, {huge, 1, 0}, ListSide::memory), testing::HasSubstr("total"));
}

TEST(RequestList, an_ascending_list_is_always_known_to_be_monotone) {
  std::mt19937 random(7);
  const auto pick = [&random](int low, int high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int round = 0; round < 500; ++round) {
    Numbers offsets;
    Numbers lengths;
    std::int64_t end = 0;
    for (std::int64_t i = pick(0, 80), regular = 0; i > 0; --i, --regular) {
      if (regular <= 0) regular = pick(0, 1) * pick(10, 30);
      offsets.push_back(end + (regular > 0 ? 5 : pick(0, 3)));
      lengths.push_back(regular > 0 ? 3 : pick(0, 4));
      end = offsets.back() + lengths.back();
    }
    const RequestList list = list_of(offsets, lengths);
    ASSERT_EQ(check_list(list, ListSide::file).complaint, "");
    const Pattern pattern = pattern_of_list(list);
    ASSERT_TRUE(pattern.monotone()) << round;
    ASSERT_EQ(pattern.size(), check_list(list, ListSide::file).bytes);
  }
}

}  // namespace
}  // namespace headrace::plan
