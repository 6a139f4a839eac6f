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

Timers TimerReduction::timers() const {
  return {table(all_ranks), table(global_aggregators)};
}

}  // namespace headrace::report
