#include "plan/schedule.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "plan/best_schedule.hpp"

namespace headrace::plan {
namespace {

/// The weight 1: the least common multiple of 1 to 30. Four million of it fit 64 bits.
constexpr std::int64_t unit_weight = 2'329'089'562'800;

using Scores = std::vector<std::int64_t>;

Scores scores_of(Schedule schedule, const Accesses& accesses) {
  Scores scores(accesses.windows());
  LocalCounts counts(accesses.aggregators());
  for (int process = 0; process < accesses.processes(); ++process) {
    const auto added = weights(schedule, accesses.numbers_of(process), counts);
    for (std::size_t i = 0; i < added.size(); ++i) scores[accesses.of(process)[i]] += added[i];
  }
  return scores;
}

}  // namespace

std::vector<std::int64_t> weights(Schedule schedule, std::span<const WindowNumber> windows,
                                  LocalCounts& counts) {
  counts.count(windows);
  std::vector<std::int64_t> weights;
  weights.reserve(windows.size());
  for (const WindowNumber number : windows) {
    if (schedule == Schedule::offset) weights.push_back(0);
    if (schedule == Schedule::mdf) weights.push_back(1);
    if (schedule == Schedule::lw_mdf) weights.push_back(unit_weight / counts.beside(number));
    if (schedule == Schedule::gw_mdf) weights.push_back(unit_weight / counts.most());
  }
  assert(weights.size() == windows.size());
  return weights;
}

std::vector<int> by_score(std::span<const std::int64_t> scores) {
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [scores](int a, int b) { return scores[a] > scores[b]; });
  return order;
}

Queues make_queues(Schedule schedule, const Accesses& accesses) {
  if (schedule == Schedule::best) return best_queues(accesses);
  Queues queues(accesses.aggregators());
  for (const int window : by_score(scores_of(schedule, accesses)))
    queues[accesses.aggregator_of(window)].push_back(window);
  return queues;
}

std::int64_t weights_to_gather(const Accesses& accesses) {
  std::int64_t weights = 0;
  LocalCounts counts(accesses.aggregators());
  for (int process = 0; process < accesses.processes(); ++process) {
    counts.count(accesses.numbers_of(process));
    for (int aggregator = 0; aggregator < accesses.aggregators(); ++aggregator)
      weights += counts.at(aggregator) > 0;
  }
  return weights;
}

double ResponseTimes::average() const {
  const auto sum = std::accumulate(of_process.begin(), of_process.end(), std::int64_t{0});
  return of_process.empty() ? 0.0
                            : static_cast<double>(sum) / static_cast<double>(of_process.size());
}

std::int64_t ResponseTimes::slowest() const {
  return of_process.empty() ? 0 : *std::max_element(of_process.begin(), of_process.end());
}

ResponseTimes response_times(const Accesses& accesses, const Queues& queues) {
  std::vector<std::int64_t> served_at(accesses.windows());
  for (const std::vector<int>& queue : queues)
    for (std::size_t place = 0; place < queue.size(); ++place)
      served_at[queue[place]] = static_cast<std::int64_t>(place) + 1;
  ResponseTimes times;
  for (int process = 0; process < accesses.processes(); ++process) {
    std::int64_t last = 0;
    for (const int window : accesses.of(process)) last = std::max(last, served_at[window]);
    times.of_process.push_back(last);
  }
  return times;
}

}  // namespace headrace::plan
