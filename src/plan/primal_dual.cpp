#include "plan/primal_dual.hpp"

#include <algorithm>
#include <limits>

namespace headrace::plan {
namespace {

/// What one job has to do at one aggregator.
struct Part {
  int job;
  std::vector<int> windows;
};

class Elimination {
 public:
  explicit Elimination(const Jobs& jobs)
      : jobs_(jobs),
        parts_(jobs.accesses().aggregators()),
        loads_(jobs.accesses().aggregators()),
        degrees_(jobs.accesses().windows()),
        is_left_(jobs.count(), true) {
    for (int job = 0; job < jobs.count(); ++job) {
      weights_.push_back(static_cast<double>(jobs.weight(job)));
      add_parts(job);
    }
  }

  PrimalDual run() {
    PrimalDual found;
    for (int left = jobs_.count(); left > 0; --left) {
      const auto busiest = std::max_element(loads_.begin(), loads_.end()) - loads_.begin();
      found.order.push_back(take_last(parts_[busiest], loads_[busiest], found.bound));
    }
    std::reverse(found.order.begin(), found.order.end());
    return found;
  }

 private:
  void add_parts(int job) {
    const Accesses& accesses = jobs_.accesses();
    for (const int window : jobs_.windows(job)) {
      const int aggregator = accesses.aggregator_of(window);
      auto& parts = parts_[aggregator];
      if (parts.empty() || parts.back().job != job) parts.push_back({job, {}});
      parts.back().windows.push_back(window);
      if (degrees_[window]++ == 0) ++loads_[aggregator];
    }
  }

  /// What comes to the job if each window is split evenly among the jobs left that touch it.
  double share(const Part& part) const {
    double share = 0;
    for (const int window : part.windows) share += 1.0 / degrees_[window];
    return share;
  }

  /// One step at the busiest aggregator, whose parts and load are given; adds to the bound.
  int take_last(std::vector<Part>& parts, std::int64_t load, double& bound) {
    std::erase_if(parts, [this](const Part& part) { return !is_left_[part.job]; });
    std::vector<double> shares;
    double least = std::numeric_limits<double>::infinity();
    double squares = static_cast<double>(load) * static_cast<double>(load);
    int last = -1;
    for (const Part& part : parts) {
      shares.push_back(share(part));
      squares += shares.back() * shares.back();
      const double ratio = weights_[part.job] / shares.back();
      if (ratio < least) {
        least = ratio;
        last = part.job;
      }
    }
    bound += least * squares / 2;
    for (std::size_t i = 0; i < parts.size(); ++i)
      weights_[parts[i].job] = std::max(weights_[parts[i].job] - least * shares[i], 0.0);
    remove(last);
    return last;
  }

  void remove(int job) {
    is_left_[job] = false;
    for (const int window : jobs_.windows(job))
      if (--degrees_[window] == 0) --loads_[jobs_.accesses().aggregator_of(window)];
  }

  const Jobs& jobs_;
  std::vector<std::vector<Part>> parts_;  // by aggregator
  std::vector<std::int64_t> loads_;       // windows that jobs left touch, by aggregator
  std::vector<int> degrees_;              // jobs left that touch it, by window
  std::vector<double> weights_;           // what no inequality has taken yet, by job
  std::vector<bool> is_left_;
};

}  // namespace

PrimalDual primal_dual(const Jobs& jobs) {
  return Elimination(jobs).run();
}

}  // namespace headrace::plan
