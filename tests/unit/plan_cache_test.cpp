// Which plan serves a call, as several ranks find it in step.
#include "engine/plan_cache.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace headrace::engine {
namespace {

constexpr std::int64_t megabyte = 1 << 20;

/// `rows` blocks of 8 bytes, 100 bytes apart, from `offset` on.
plan::Pattern rows_at(std::int64_t offset, std::int64_t rows) {
  plan::PlacedLayout placed = plan::repeat(plan::contiguous(8), rows, 100);
  placed.offset += offset;
  return plan::Pattern(placed);
}

/// The caches of three ranks, which see the same calls.
class PlanCaches : public testing::Test {
 protected:
  using Parts = std::array<plan::Pattern, 3>;

  explicit PlanCaches(std::int64_t capacity = megabyte)
      : caches_{PlanCache(capacity), PlanCache(capacity), PlanCache(capacity)} {}

  /// One call; every rank then keeps `bytes` and has found out all. Whether a plan served it, and
  /// how far on.
  std::optional<std::int64_t> call(const Parts& parts, std::int64_t bytes = 100) {
    std::vector<std::int64_t> maxima(caches_[0].words(), std::numeric_limits<std::int64_t>::min());
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      std::vector<std::int64_t> words(caches_[rank].words());
      caches_[rank].ask(parts[rank], words);
      for (std::size_t i = 0; i < words.size(); ++i) maxima[i] = std::max(maxima[i], words[i]);
    }
    std::optional<std::int64_t> shift;
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      const PlanCache::Choice choice = caches_[rank].choose(parts[rank], maxima);
      shift = choice.shift;
      if (shift) continue;
      choice.plan.keep(bytes);
      choice.plan.finish(true);
    }
    return shift;
  }

  std::array<PlanCache, 3> caches_;
};

TEST_F(PlanCaches, the_same_pattern_is_served_again_wherever_it_lies) {
  EXPECT_EQ(call({rows_at(0, 5), rows_at(8, 5), plan::Pattern()}), std::nullopt);
  EXPECT_EQ(call({rows_at(0, 5), rows_at(8, 5), plan::Pattern()}), 0);
  EXPECT_EQ(call({rows_at(777, 5), rows_at(785, 5), plan::Pattern()}), 777);
  EXPECT_EQ(call({rows_at(700, 5), rows_at(708, 5), plan::Pattern()}), -77);
}

TEST_F(PlanCaches, one_rank_with_another_pattern_is_another_call) {
  call({rows_at(0, 5), rows_at(8, 5), rows_at(16, 5)});
  EXPECT_EQ(call({rows_at(0, 5), rows_at(8, 5), rows_at(16, 6)}), std::nullopt);
  EXPECT_EQ(call({rows_at(0, 5), rows_at(8, 5), plan::Pattern()}), std::nullopt);
  EXPECT_EQ(call({rows_at(0, 5), rows_at(8, 5), rows_at(16, 5)}), 0);
}

TEST_F(PlanCaches, ranks_that_move_by_different_distances_are_another_call) {
  call({rows_at(0, 5), rows_at(8, 5), rows_at(16, 5)});
  EXPECT_EQ(call({rows_at(1000, 5), rows_at(1008, 5), rows_at(1024, 5)}), std::nullopt);
}

TEST_F(PlanCaches, patterns_that_take_turns_are_all_kept_up_to_a_number) {
  const auto turn = [](std::int64_t rows) {
    return Parts{rows_at(0, rows), rows_at(8, rows), rows_at(16, rows)};
  };
  for (int rows = 1; rows <= PlanCache::most_plans; ++rows) call(turn(rows));
  for (int rows = 1; rows <= PlanCache::most_plans; ++rows) EXPECT_EQ(call(turn(rows)), 0);
  call(turn(100));
  EXPECT_EQ(call(turn(1)), std::nullopt) << "the one used longest ago has gone";
  EXPECT_EQ(call(turn(100)), 0);
}

TEST_F(PlanCaches, a_plan_that_is_too_large_is_not_used_and_harms_no_later_one) {
  const Parts large{rows_at(0, 9), rows_at(8, 9), rows_at(16, 9)};
  EXPECT_EQ(call(large, megabyte + 1), std::nullopt);
  EXPECT_EQ(call(large, megabyte + 1), std::nullopt);
  EXPECT_EQ(call(large, megabyte), std::nullopt);
  EXPECT_EQ(call(large), 0);
}

TEST_F(PlanCaches, what_cannot_be_used_again_is_forgotten) {
  for (const bool has_failed : {false, true}) {
    PlanCache cache(megabyte);
    KeptPlan& plan = cache.choose(rows_at(0, 5), {}).plan;
    EXPECT_TRUE(plan.keep(100));
    plan.member.windows[3].places = Wire(100);
    EXPECT_TRUE(has_failed || !plan.keep(megabyte));
    plan.finish(!has_failed);
    EXPECT_TRUE(plan.member.windows.empty());
    EXPECT_FALSE(plan.is_usable());
  }
}

TEST_F(PlanCaches, what_a_plan_can_do_without_leaves_half_the_room) {
  PlanCache cache(megabyte);
  KeptPlan& plan = cache.choose(rows_at(0, 5), {}).plan;
  EXPECT_TRUE(plan.keep_spare(megabyte / 2));
  EXPECT_FALSE(plan.keep_spare(1));
  EXPECT_TRUE(plan.keep(megabyte / 2));
  plan.finish(true);
  EXPECT_TRUE(plan.is_usable());
}

TEST_F(PlanCaches, a_plan_of_a_call_that_fails_is_forgotten) {
  PlanCache cache(megabyte);
  KeptPlan& plan = cache.choose(rows_at(0, 5), {}).plan;
  plan.finish(true);
  EXPECT_TRUE(plan.is_usable());
  plan.finish(false);
  EXPECT_FALSE(plan.is_usable());
}

TEST_F(PlanCaches, room_is_made_at_the_cost_of_plans_used_longest_ago) {
  const Parts first{rows_at(0, 1), rows_at(8, 1), rows_at(16, 1)};
  const Parts second{rows_at(0, 2), rows_at(8, 2), rows_at(16, 2)};
  const Parts third{rows_at(0, 3), rows_at(8, 3), rows_at(16, 3)};
  for (const Parts& parts : {first, second, third}) call(parts, megabyte / 2);
  EXPECT_EQ(call(second), 0);
  EXPECT_EQ(call(third), 0);
  EXPECT_EQ(call(first), std::nullopt);
}

class NoPlanCaches : public PlanCaches {
 protected:
  NoPlanCaches() : PlanCaches(0) {}
};

TEST_F(NoPlanCaches, nothing_is_kept) {
  const Parts parts{rows_at(0, 5), rows_at(8, 5), rows_at(16, 5)};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call(parts, 1), std::nullopt);
}

}  // namespace
}  // namespace headrace::engine
