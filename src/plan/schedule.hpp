// In which order each global aggregator serves its windows (its stripes), and what that comes to:
// Jin et al., Improving the Average Response Time in Collective I/O, section 2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/schedule.hpp"
#include "plan/accesses.hpp"

namespace headrace::plan {

/// queues[a]: the windows of aggregator a, by their index in the accesses, first served first.
/// Every touched window is once in the queue of its aggregator.
using Queues = std::vector<std::vector<int>>;

/// Highest score first; of one score, the lower window first. The score of a window is
///   offset  0, so that windows are served as they lie in the file;
///   mdf     its degree: how many processes touch it;
///   lw_mdf  the sum of the local weights of these processes, a process's local weight being one
///           part of the number of windows that it touches at this aggregator;
///   gw_mdf  the sum of their global weights, a process's global weight being the least of its
///           local ones. Aggregators at which it touches nothing are left out.
/// `best` is not by scores: best_schedule.hpp.
///
/// O(n log n) of n windows, and O(accesses). Weights are whole numbers of a unit that 1 to 30
/// divide, so that sums are the same in any order, and ties are ties.
Queues make_queues(Schedule schedule, const Accesses& accesses);

/// What one process adds to the scores of the windows that it touches, in their order. `counts` is
/// room to work in. Not for `best`.
std::vector<std::int64_t> weights(Schedule schedule, std::span<const WindowNumber> windows,
                                  LocalCounts& counts);

/// The places of these scores in the order of service: the highest first; of equals, the first.
std::vector<int> by_score(std::span<const std::int64_t> scores);

/// Local weights that gw_mdf must gather: one of each process at each of its aggregators.
std::int64_t weights_to_gather(const Accesses& accesses);

/// When each process has its last window served, in units of t: the time of one window at one
/// aggregator, all aggregators working at once. 0 for a process that touches nothing.
struct ResponseTimes {
  std::vector<std::int64_t> of_process;

  /// Over all processes; 0 without any.
  double average() const;
  std::int64_t slowest() const;
};
ResponseTimes response_times(const Accesses& accesses, const Queues& queues);

}  // namespace headrace::plan
