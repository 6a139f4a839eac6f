#include "plan/timeline.hpp"

#include <algorithm>

namespace headrace::plan {

std::int64_t Timeline::serve(int job) {
  const auto windows = jobs_.windows(job);
  steps_ += std::ssize(windows);
  std::int64_t done = 0;
  for (const int window : windows) {
    std::int64_t& served_at = served_at_[window];
    if (served_at == 0) {
      served_at = ++loads_[jobs_.accesses().aggregator_of(window)];
      served_.push_back(window);
    }
    done = std::max(done, served_at);
  }
  return jobs_.weight(job) * done;
}

void Timeline::back_to(std::size_t then) {
  for (std::size_t i = then; i < served_.size(); ++i) {
    served_at_[served_[i]] = 0;
    --loads_[jobs_.accesses().aggregator_of(served_[i])];
  }
  served_.resize(then);
}

Queues Timeline::queues() const {
  Queues queues(jobs_.accesses().aggregators());
  for (const int window : served_) queues[jobs_.accesses().aggregator_of(window)].push_back(window);
  return queues;
}

}  // namespace headrace::plan
