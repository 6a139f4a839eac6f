// A rank is at any moment in one phase: who is charged for what, by a clock of the tests' own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "report/timers.hpp"

namespace headrace::report {
namespace {

std::int64_t made_up_time = 0;

class Phases : public testing::Test {
 protected:
  Phases() { made_up_time = 1'000'000; }

  static void pass(std::int64_t nanoseconds) { made_up_time += nanoseconds; }
  std::int64_t writing(Phase phase) const { return clock_.times(Direction::write)[phase]; }
  std::int64_t writing() const { return clock_.times(Direction::write).total; }
  std::int64_t sum() const {
    const auto& phases = clock_.times(Direction::write).phases;
    return std::accumulate(phases.begin(), phases.end(), std::int64_t{0});
  }

  PhaseClock clock_{[] { return made_up_time; }};
};

TEST_F(Phases, every_phase_has_a_name_of_its_own) {
  std::vector<std::string_view> names;
  for (int i = 0; i < timer_count; ++i) names.push_back(timer_name(i));
  EXPECT_THAT(names, testing::ElementsAre("agree", "gather", "sort", "copy", "my_requests",
                                          "others_requests", "domain_sort", "placement", "exchange",
                                          "io", "waiting", "total"));
}

TEST_F(Phases, time_goes_to_the_innermost_and_back_to_what_it_interrupted) {
  clock_.begin_call();
  pass(1);
  const int result = clock_.during(Phase::gather, [&] {
    pass(10);
    clock_.during(Phase::sort, [] { pass(100); });
    pass(1'000);
    return 7;
  });
  pass(10'000);
  clock_.keep_call(Direction::write);
  EXPECT_EQ(result, 7);
  EXPECT_EQ(writing(Phase::agree), 10'001);
  EXPECT_EQ(writing(Phase::gather), 1'010);
  EXPECT_EQ(writing(Phase::sort), 100);
  EXPECT_EQ(writing(), 11'111);
  EXPECT_EQ(sum(), writing());
}

TEST_F(Phases, a_poll_is_charged_to_its_phase_only_if_it_finds_something) {
  clock_.begin_call();
  clock_.during(Phase::waiting, [&] {
    pass(1);
    EXPECT_FALSE(clock_.poll(Phase::exchange, [] {
      pass(10);
      return false;
    }));
    pass(100);
    const auto found = clock_.poll(Phase::exchange, [] {
      pass(1'000);
      return std::optional(3);
    });
    EXPECT_EQ(found, 3);
    pass(10'000);
  });
  clock_.keep_call(Direction::write);
  EXPECT_EQ(writing(Phase::waiting), 10'111);
  EXPECT_EQ(writing(Phase::exchange), 1'000);
  EXPECT_EQ(sum(), writing());
}

TEST_F(Phases, an_exception_leaves_the_phase_too) {
  clock_.begin_call();
  const auto throws = [] {
    pass(5);
    throw 1;
  };
  EXPECT_THROW(clock_.during(Phase::io, throws), int);
  pass(50);
  clock_.keep_call(Direction::write);
  EXPECT_EQ(writing(Phase::io), 5);
  EXPECT_EQ(writing(Phase::agree), 50);
}

TEST_F(Phases, calls_add_up_by_direction_and_only_those_that_are_kept) {
  for (const int nanoseconds : {1, 10}) {
    clock_.begin_call();
    clock_.during(Phase::io, [&] { pass(nanoseconds); });
    clock_.keep_call(Direction::write);
    pass(1'000'000);  // between calls
  }
  clock_.begin_call();
  clock_.during(Phase::io, [] { pass(100); });  // left to the host
  clock_.begin_call();
  clock_.during(Phase::copy, [] { pass(1'000); });
  clock_.keep_call(Direction::read);
  EXPECT_EQ(writing(Phase::io), 11);
  EXPECT_EQ(writing(), 11);
  EXPECT_EQ(clock_.times(Direction::read)[Phase::copy], 1'000);
  EXPECT_EQ(clock_.times(Direction::read).total, 1'000);
}

TEST_F(Phases, remember_the_shortest_and_the_longest_call) {
  for (const int nanoseconds : {20, 5, 30}) {
    clock_.begin_call();
    pass(nanoseconds);
    clock_.keep_call(Direction::write);
  }
  EXPECT_EQ(clock_.times(Direction::write).calls, 3);
  EXPECT_EQ(clock_.times(Direction::write).shortest, 5);
  EXPECT_EQ(clock_.times(Direction::write).longest, 30);
}

TEST_F(Phases, outside_of_a_call_nothing_is_counted) {
  clock_.during(Phase::io, [] { pass(1); });
  clock_.begin_call();
  pass(10);
  clock_.keep_call(Direction::write);
  clock_.during(Phase::waiting, [] { pass(100); });
  EXPECT_EQ(writing(Phase::io), 0);
  EXPECT_EQ(writing(Phase::waiting), 0);
  EXPECT_EQ(writing(), 10);
}

PhaseTimes times(std::int64_t io, std::int64_t total) {
  PhaseTimes made;
  made.phases[static_cast<int>(Phase::io)] = io;
  made.total = total;
  return made;
}

/// What Agreement::reduce does to the first of two ranks.
Timers reduced(TimerReduction first, TimerReduction second) {
  for (std::size_t i = 0; i < first.maxima().size(); ++i)
    first.maxima()[i] = std::max(first.maxima()[i], second.maxima()[i]);
  for (std::size_t i = 0; i < first.sums().size(); ++i) first.sums()[i] += second.sums()[i];
  return first.timers();
}

void expect_spread(const Spread& spread, double min, double mean, double max) {
  EXPECT_DOUBLE_EQ(spread.min, min);
  EXPECT_DOUBLE_EQ(spread.mean, mean);
  EXPECT_DOUBLE_EQ(spread.max, max);
}

constexpr auto io = static_cast<std::size_t>(Phase::io);
constexpr std::int64_t second = 1'000'000'000;

TEST(TimerReduction, spreads_over_ranks_and_over_aggregators) {
  const Timers timers = reduced({times(2 * second, 5 * second), true}, {times(0, second), false});
  expect_spread(timers.ranks[io], 0, 1, 2);
  expect_spread(timers.ranks[timer_count - 1], 1, 3, 5);
  expect_spread(timers.aggregators[io], 2, 2, 2);
  expect_spread(timers.aggregators[timer_count - 1], 5, 5, 5);
}

TEST(TimerReduction, has_the_response_times_of_single_calls) {
  PhaseTimes early = times(0, 4 * second);
  early.calls = 2;
  early.shortest = second;
  early.longest = 3 * second;
  PhaseTimes late = times(0, 5 * second);
  late.calls = 1;
  late.shortest = late.longest = 5 * second;
  expect_spread(reduced({early, true}, {late, false}).response_time, 1, 3, 5);
}

TEST(TimerReduction, without_aggregators_is_zeros) {
  const Timers timers = reduced({times(1, 1), false}, {times(1, 1), false});
  expect_spread(timers.aggregators[io], 0, 0, 0);
}

TEST(TimerReduction, says_how_many_words_it_reduces) {
  TimerReduction reduction(times(1, 1), true);
  EXPECT_EQ(reduction.maxima().size() + reduction.sums().size(), TimerReduction::words);
}

}  // namespace
}  // namespace headrace::report
