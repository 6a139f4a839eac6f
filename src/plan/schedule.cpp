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

Scores degree_scores(const Accesses& accesses) {
  const std::vector<int> degrees = accesses.degrees();
  return {degrees.begin(), degrees.end()};
}

Scores locally_weighted_scores(const Accesses& accesses) {
  Scores scores(accesses.windows());
  LocalCounts counts(accesses);
  for (int process = 0; process < accesses.processes(); ++process) {
    counts.count(process);
    for (const int window : accesses.of(process))
      scores[window] += unit_weight / counts.at(accesses.aggregator_of(window));
  }
  return scores;
}

Scores globally_weighted_scores(const Accesses& accesses) {
  Scores scores(accesses.windows());
  LocalCounts counts(accesses);
  for (int process = 0; process < accesses.processes(); ++process) {
    counts.count(process);
    for (const int window : accesses.of(process)) scores[window] += unit_weight / counts.most();
  }
  return scores;
}

Queues queues_by(const Scores& scores, const Accesses& accesses) {
  std::vector<int> order(accesses.windows());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&scores](int a, int b) { return scores[a] > scores[b]; });
  Queues queues(accesses.aggregators());
  for (const int window : order) queues[accesses.aggregator_of(window)].push_back(window);
  return queues;
}

}  // namespace

Queues make_queues(Schedule schedule, const Accesses& accesses) {
  switch (schedule) {
    case Schedule::mdf:
      return queues_by(degree_scores(accesses), accesses);
    case Schedule::lw_mdf:
      return queues_by(locally_weighted_scores(accesses), accesses);
    case Schedule::gw_mdf:
      return queues_by(globally_weighted_scores(accesses), accesses);
    case Schedule::best:
      return best_queues(accesses);
    case Schedule::offset:
      break;
  }
  return queues_by(Scores(accesses.windows()), accesses);
}

std::int64_t weights_to_gather(const Accesses& accesses) {
  std::int64_t weights = 0;
  LocalCounts counts(accesses);
  for (int process = 0; process < accesses.processes(); ++process) {
    counts.count(process);
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
