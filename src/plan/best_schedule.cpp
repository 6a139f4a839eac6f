#include "plan/best_schedule.hpp"

#include <algorithm>
#include <numeric>

#include "plan/few_jobs.hpp"
#include "plan/jobs.hpp"
#include "plan/primal_dual.hpp"
#include "plan/timeline.hpp"

namespace headrace::plan {
namespace {

using Order = std::vector<int>;  // of jobs

/// By the first window of each, as jobs are numbered: neighbours in the file share windows.
Order as_in_file(const Jobs& jobs) {
  Order order(jobs.count());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order order_of(const Queues& queues, const Jobs& jobs) {
  const ResponseTimes times = response_times(jobs.accesses(), queues);
  std::vector<std::int64_t> done(jobs.count());
  for (int process = 0; process < jobs.accesses().processes(); ++process)
    if (const int job = jobs.job_of(process); job >= 0) done[job] = times.of_process[process];
  Order order = as_in_file(jobs);
  std::stable_sort(order.begin(), order.end(), [&done](int a, int b) { return done[a] < done[b]; });
  return order;
}

/// Improves one order after another, and keeps the best.
class Search {
 public:
  explicit Search(const Jobs& jobs) : timeline_(jobs) {}

  /// In passes that move jobs by a distance: short ones while they help, for they take less, then
  /// longer ones.
  void improve(Order order, std::int64_t steps) {
    steps_ = timeline_.steps() + steps;
    std::int64_t least = cost_from_begin(order);
    for (int distance = 1; distance < std::ssize(order) && has_steps();) {
      Order moved = order;
      pass(moved, distance);
      const std::int64_t cost = cost_from_begin(moved);
      distance = cost < least ? 1 : longer(distance);
      if (cost >= least) continue;
      least = cost;
      order = std::move(moved);
    }
    if (best_.empty() || least < least_) {
      least_ = least;
      best_ = std::move(order);
    }
  }

  Queues best_queues() {
    cost_from_begin(best_);
    return timeline_.queues();
  }

 private:
  bool has_steps() const noexcept { return timeline_.steps() < steps_; }

  /// The golden ratio.
  static int longer(int distance) { return distance + (distance + 1) * 5 / 8; }

  std::int64_t serve_all(std::span<const int> jobs) {
    std::int64_t cost = 0;
    for (const int job : jobs) cost += timeline_.serve(job);
    return cost;
  }

  std::int64_t cost_from_begin(const Order& order) {
    timeline_.back_to(0);
    return serve_all(order);
  }

  std::int64_t cost_from_now(std::span<const int> jobs) {
    const std::size_t now = timeline_.now();
    const std::int64_t cost = serve_all(jobs);
    timeline_.back_to(now);
    return cost;
  }

  /// Each job in turn and the one `distance` behind it: whether one is better put to the other.
  /// What comes behind both has the same load before it in any case; only by the windows that it
  /// shares with them it may be done earlier or later, so that a pass may fail to improve the
  /// whole.
  void pass(Order& order, int distance) {
    timeline_.back_to(0);
    for (auto first = order.begin(); order.end() - first > distance && has_steps(); ++first) {
      improve_range({first, first + distance + 1});
      timeline_.serve(*first);
    }
  }

  void improve_range(std::span<int> range) {
    const std::int64_t as_it_is = cost_from_now(range);
    std::rotate(range.begin(), range.end() - 1, range.end());
    const std::int64_t last_first = cost_from_now(range);
    if (last_first < as_it_is) return;
    std::rotate(range.begin(), range.begin() + 1, range.end());
    std::rotate(range.begin(), range.begin() + 1, range.end());
    if (cost_from_now(range) < as_it_is) return;
    std::rotate(range.begin(), range.end() - 1, range.end());
  }

  Timeline timeline_;
  std::int64_t steps_ = 0;  // of the timeline, at which to stop
  std::int64_t least_ = 0;  // the cost of best_
  Order best_;
};

/// What each process would take alone, added up.
std::int64_t sum_alone(const Accesses& accesses) {
  std::int64_t sum = 0;
  LocalCounts counts(accesses.aggregators());
  for (int process = 0; process < accesses.processes(); ++process) {
    counts.count(accesses.numbers_of(process));
    sum += counts.most();
  }
  return sum;
}

}  // namespace

Queues best_queues(const Accesses& accesses, std::int64_t steps) {
  const Jobs jobs(accesses);
  Search search(jobs);
  search.improve(order_of(make_queues(Schedule::gw_mdf, accesses), jobs), steps / 3);
  search.improve(primal_dual(jobs).order, steps / 3);
  search.improve(as_in_file(jobs), steps / 3);
  return search.best_queues();
}

double lower_bound_on_average(const Accesses& accesses) {
  const Jobs jobs(accesses);
  const std::int64_t whole =
      jobs.count() <= few_jobs ? least_sum_of_few(jobs) : sum_alone(accesses);
  const double sum = std::max(primal_dual(jobs).bound, static_cast<double>(whole));
  return sum / std::max(accesses.processes(), 1);
}

}  // namespace headrace::plan
