// Schedules of windows: the worked examples of Jin et al., Improving the Average Response Time in
// Collective I/O, and what holds for any case.
#include "plan/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "plan/best_schedule.hpp"
#include "plan/primal_dual.hpp"
#include "support/random.hpp"

namespace headrace::plan {
namespace {

using headrace::test::Random;
using ::testing::ElementsAre;
/// Sums of double may come out this much too high.
constexpr double rounding = 1 + 1e-12;
using Processes = std::vector<std::vector<WindowNumber>>;

std::vector<WindowNumber> from_to(WindowNumber first, WindowNumber last) {
  std::vector<WindowNumber> windows(last - first + 1);
  std::iota(windows.begin(), windows.end(), first);
  return windows;
}

double average(Schedule schedule, const Accesses& accesses) {
  return response_times(accesses, make_queues(schedule, accesses)).average();
}

/// Fig. 1: three processes share the first twelve stripes, a fourth has the last three.
Accesses figure_1() {
  return {3, Processes{from_to(0, 11), from_to(0, 11), from_to(0, 11), from_to(12, 14)}};
}

/// Fig. 2: one process has the first three stripes, three share the twelve behind them.
Accesses figure_2() {
  return {3, Processes{from_to(0, 2), from_to(3, 14), from_to(3, 14), from_to(3, 14)}};
}

/// Fig. 3: of the six stripes of one aggregator two are the first process's, four the second's; all
/// six of the other are the first's.
Accesses figure_3() {
  return {2, Processes{{0, 1, 2, 3, 5, 7, 9, 11}, {4, 6, 8, 10}}};
}

TEST(Schedule, the_papers_figure_1) {
  EXPECT_EQ(average(Schedule::offset, figure_1()), 4.25);
  EXPECT_EQ(average(Schedule::best, figure_1()), 4.0);
}

TEST(Schedule, the_papers_figure_2) {
  EXPECT_EQ(average(Schedule::mdf, figure_2()), 4.25);
  EXPECT_EQ(average(Schedule::lw_mdf, figure_2()), 4.0);
  EXPECT_EQ(average(Schedule::best, figure_2()), 4.0);
}

TEST(Schedule, the_papers_figure_3) {
  EXPECT_EQ(average(Schedule::lw_mdf, figure_3()), 6.0);
  EXPECT_EQ(average(Schedule::gw_mdf, figure_3()), 5.0);
  EXPECT_EQ(average(Schedule::best, figure_3()), 5.0);
}

TEST(Schedule, most_degree_first_and_of_one_degree_the_lower_window) {
  const Accesses accesses(1, Processes{{10, 20, 30, 40}, {20, 40}, {40}});
  const Queues queues = make_queues(Schedule::mdf, accesses);
  EXPECT_THAT(queues, ElementsAre(ElementsAre(3, 1, 0, 2)));
  EXPECT_EQ(accesses.number(3), 40);
}

/// Six times 1/6 is 1, which a sum of rounded numbers misses.
TEST(Schedule, equal_sums_of_weights_are_a_tie) {
  Processes processes(6, from_to(0, 5));
  processes.push_back({6});
  const Accesses accesses(1, processes);
  EXPECT_THAT(make_queues(Schedule::lw_mdf, accesses)[0], ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(make_queues(Schedule::gw_mdf, accesses)[0], ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

/// Aggregators without a window of the process do not count (they would make its weight infinite).
TEST(Schedule, global_weights_are_of_aggregators_that_serve_the_process) {
  const Accesses accesses(4, Processes{{0, 4, 8}, {12, 16}});
  EXPECT_THAT(make_queues(Schedule::gw_mdf, accesses)[0], ElementsAre(3, 4, 0, 1, 2));
}

TEST(Schedule, one_weight_is_gathered_for_each_process_and_aggregator_of_it) {
  EXPECT_EQ(weights_to_gather(figure_3()), 3);
  EXPECT_EQ(weights_to_gather(figure_1()), 12);
}

TEST(Schedule, a_process_without_data_responds_at_once) {
  const Accesses accesses(2, Processes{{}, {0, 2, 4}, {}});
  for (const auto& [name, schedule] : schedules) {
    const ResponseTimes times = response_times(accesses, make_queues(schedule, accesses));
    EXPECT_THAT(times.of_process, ElementsAre(0, 3, 0)) << name;
    EXPECT_EQ(times.average(), 1.0) << name;
    EXPECT_EQ(times.slowest(), 3) << name;
  }
}

TEST(Schedule, nothing_to_serve_takes_no_time) {
  for (const Accesses& accesses : {Accesses(3, Processes{}), Accesses(3, Processes{{}, {}})})
    for (const auto& [name, schedule] : schedules) {
      const ResponseTimes times = response_times(accesses, make_queues(schedule, accesses));
      EXPECT_EQ(times.average(), 0) << name;
      EXPECT_EQ(times.slowest(), 0) << name;
      EXPECT_EQ(lower_bound_on_average(accesses), 0);
    }
}

/// Up to six processes, windows with gaps between them.
Accesses random_accesses(Random& random) {
  const auto highest = random.between(1, 30);
  const auto chance = static_cast<int>(random.between(10, 90));
  Processes processes(random.between(1, 6));
  for (auto& windows : processes)
    for (WindowNumber number = 7; number <= 7 + highest; ++number)
      if (random.chance(chance)) windows.push_back(number);
  return {static_cast<int>(random.between(1, 4)), processes};
}

void expect_each_window_once(const Queues& queues, const Accesses& accesses) {
  std::vector<int> times(accesses.windows());
  for (int aggregator = 0; aggregator < accesses.aggregators(); ++aggregator)
    for (const int window : queues[aggregator]) {
      EXPECT_EQ(accesses.aggregator_of(window), aggregator);
      ++times[window];
    }
  EXPECT_THAT(times, ::testing::Each(1));
}

TEST(Schedule, every_window_is_served_once_by_its_aggregator) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random({1, seed});
    const Accesses accesses = random_accesses(random);
    for (const auto& [name, schedule] : schedules) {
      SCOPED_TRACE(name);
      expect_each_window_once(make_queues(schedule, accesses), accesses);
    }
  }
}

/// As best_schedule.hpp says, some order of the processes gives it.
double least_average(const Accesses& accesses) {
  std::vector<int> order(accesses.processes());
  std::iota(order.begin(), order.end(), 0);
  double least = average(Schedule::offset, accesses);
  do {
    Queues queues(accesses.aggregators());
    std::vector<bool> served(accesses.windows());
    for (const int process : order)
      for (const int window : accesses.of(process)) {
        if (!served[window]) queues[accesses.aggregator_of(window)].push_back(window);
        served[window] = true;
      }
    least = std::min(least, response_times(accesses, queues).average());
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(BestSchedule, lies_between_the_least_there_is_and_every_other_schedule) {
  int optimal = 0;
  constexpr int cases = 300;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    Random random({2, seed});
    const Accesses accesses = random_accesses(random);
    const double least = least_average(accesses);
    const double best = average(Schedule::best, accesses);
    EXPECT_GE(best, least) << "seed " << seed;
    optimal += best == least;
    for (const auto& [name, schedule] : schedules)
      EXPECT_LE(best, average(schedule, accesses)) << name << ", seed " << seed;
  }
  EXPECT_GE(optimal, cases * 95 / 100);
}

TEST(BestSchedule, the_bound_for_few_is_the_least_there_is) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random({3, seed});
    const Accesses accesses = random_accesses(random);
    EXPECT_DOUBLE_EQ(lower_bound_on_average(accesses), least_average(accesses)) << "seed " << seed;
  }
}

TEST(BestSchedule, the_bound_for_many_is_between_half_the_least_there_is_and_that) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random({5, seed});
    const Accesses accesses = random_accesses(random);
    const double least = least_average(accesses) * accesses.processes();
    const double bound = primal_dual(Jobs(accesses)).bound;
    EXPECT_LE(bound, least * rounding) << "seed " << seed;
    EXPECT_GE(bound * 2 * rounding, least) << "seed " << seed;
  }
}

/// Too many jobs to go through all sets of them.
TEST(BestSchedule, the_bound_for_many_is_below_the_best_known) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random({6, seed});
    Processes processes(40);
    for (auto& windows : processes)
      for (WindowNumber number = 0; number < 100; ++number)
        if (random.chance(10)) windows.push_back(number);
    const Accesses accesses(4, processes);
    EXPECT_LE(lower_bound_on_average(accesses), average(Schedule::best, accesses) * rounding);
  }
}

/// Without steps there is no search, and gw_mdf is still among what it chooses from.
TEST(BestSchedule, is_never_worse_than_gw_mdf_without_a_search) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random({4, seed});
    const Accesses accesses = random_accesses(random);
    const ResponseTimes times = response_times(accesses, best_queues(accesses, 0));
    EXPECT_LE(times.average(), average(Schedule::gw_mdf, accesses)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace headrace::plan
