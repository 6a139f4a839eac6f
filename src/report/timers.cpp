#include "report/timers.hpp"

#include <limits>

namespace headrace::report {
namespace {

double seconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

std::int64_t nanoseconds_of(const PhaseTimes& times, int timer) {
  return timer < phase_count ? times.phases[timer] : times.total;
}

}  // namespace

std::string_view timer_name(int timer) noexcept {
  return timer < phase_count ? phase_name(static_cast<Phase>(timer)) : "total";
}

TimerReduction::TimerReduction(const PhaseTimes& own, bool is_aggregator) {
  maxima_.fill(std::numeric_limits<std::int64_t>::min());
  add(all_ranks, own);
  if (is_aggregator) add(global_aggregators, own);
  maxima_[longest_at] = own.longest;
  maxima_[negated_shortest_at] = -own.shortest;
  sums_[calls_at] = own.calls;
}

void TimerReduction::add(Group group, const PhaseTimes& own) {
  for (int timer = 0; timer < timer_count; ++timer) {
    const std::int64_t time = nanoseconds_of(own, timer);
    maxima_[max_at(group, timer)] = time;
    maxima_[negated_min_at(group, timer)] = -time;
    sums_[sum_at(group, timer)] = time;
  }
  sums_[ranks_at(group)] = 1;
}

TimerTable TimerReduction::table(Group group) const {
  TimerTable table;
  const std::int64_t ranks = sums_[ranks_at(group)];
  if (ranks == 0) return table;
  for (int timer = 0; timer < timer_count; ++timer)
    table[timer] = {seconds(-maxima_[negated_min_at(group, timer)]),
                    seconds(sums_[sum_at(group, timer)]) / static_cast<double>(ranks),
                    seconds(maxima_[max_at(group, timer)])};
  return table;
}

/// Precondition: there was a call.
Spread TimerReduction::response_time() const {
  return {seconds(-maxima_[negated_shortest_at]),
          seconds(sums_[sum_at(all_ranks, timer_count - 1)]) / static_cast<double>(sums_[calls_at]),
          seconds(maxima_[longest_at])};
}

Timers TimerReduction::timers() const {
  return {table(all_ranks), table(global_aggregators), response_time()};
}

}  // namespace headrace::report
