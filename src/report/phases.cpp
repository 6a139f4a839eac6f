#include "report/phases.hpp"

#include <algorithm>

namespace headrace::report {

std::string_view phase_name(Phase phase) noexcept {
  constexpr std::array<std::string_view, phase_count> names{
      "agree",       "gather",    "sort",     "copy", "my_requests", "others_requests",
      "domain_sort", "placement", "exchange", "io",   "waiting"};
  return names[static_cast<std::size_t>(phase)];
}

void PhaseClock::keep_call(Direction direction) {
  charge(phase_);
  PhaseTimes& times = times_[static_cast<std::size_t>(direction)];
  for (std::size_t i = 0; i < call_.size(); ++i) times.phases[i] += call_[i];
  const std::int64_t response = last_ - begun_;
  times.total += response;
  ++times.calls;
  times.shortest = std::min(times.shortest, response);
  times.longest = std::max(times.longest, response);
}

}  // namespace headrace::report
