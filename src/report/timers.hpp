// The times of all ranks together.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "report/phases.hpp"

namespace headrace::report {

/// Over several ranks, in seconds.
struct Spread {
  double min = 0;
  double mean = 0;
  double max = 0;
};

/// The phases, and behind them the total.
constexpr int timer_count = phase_count + 1;
std::string_view timer_name(int timer) noexcept;  ///< "agree", ..., "total"
using TimerTable = std::array<Spread, timer_count>;

/// Of all calls of one direction.
struct Timers {
  TimerTable ranks;
  TimerTable aggregators;  ///< over those ranks that are global aggregators; zeros if none is
  Spread response_time;    ///< of one call on one rank, over all calls and ranks
};

/// None: no call of the direction was served.
using TimersByDirection = std::array<std::optional<Timers>, direction_count>;

/// Makes Timers of every rank's times, by one reduction: each rank makes an object of its own
/// times, maxima() and sums() are replaced by the element-wise maxima and sums over all ranks, and
/// timers() is then the same everywhere.
class TimerReduction {
 public:
  TimerReduction(const PhaseTimes& own, bool is_aggregator);

  /// Of the reduction: of maxima() and sums() together.
  static constexpr int words = 2 * (3 * timer_count + 1) + 3;
  std::span<std::int64_t> maxima() { return maxima_; }
  std::span<std::int64_t> sums() { return sums_; }
  Timers timers() const;

 private:
  enum Group { all_ranks, global_aggregators, group_count };
  static constexpr int max_at(Group group, int timer) { return group * timer_count + timer; }
  static constexpr int negated_min_at(Group group, int timer) {
    return (group_count + group) * timer_count + timer;
  }
  static constexpr int longest_at = 2 * group_count * timer_count;
  static constexpr int negated_shortest_at = longest_at + 1;
  static constexpr int sum_at(Group group, int timer) { return group * timer_count + timer; }
  static constexpr int ranks_at(Group group) { return group_count * timer_count + group; }
  static constexpr int calls_at = group_count * (timer_count + 1);

  void add(Group group, const PhaseTimes& own);
  TimerTable table(Group group) const;
  Spread response_time() const;

  std::array<std::int64_t, negated_shortest_at + 1> maxima_;
  std::array<std::int64_t, calls_at + 1> sums_{};
};

}  // namespace headrace::report
