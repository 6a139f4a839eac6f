#include "plan/few_jobs.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace headrace::plan {
namespace {

using Set = std::uint32_t;  // bit j: job j

/// For each window, the jobs that touch it.
std::vector<Set> jobs_touching(const Jobs& jobs) {
  std::vector<Set> touching(jobs.accesses().windows());
  for (int job = 0; job < jobs.count(); ++job)
    for (const int window : jobs.windows(job)) touching[window] |= Set{1} << job;
  return touching;
}

/// The most windows that a set of jobs touches at one aggregator.
class LongestQueue {
 public:
  explicit LongestQueue(const Jobs& jobs)
      : accesses_(jobs.accesses()),
        touching_(jobs_touching(jobs)),
        lengths_(accesses_.aggregators()) {}

  std::int64_t of(Set set) {
    std::fill(lengths_.begin(), lengths_.end(), 0);
    for (int window = 0; window < accesses_.windows(); ++window)
      if ((touching_[window] & set) != 0) ++lengths_[accesses_.aggregator_of(window)];
    return *std::max_element(lengths_.begin(), lengths_.end());
  }

 private:
  const Accesses& accesses_;
  std::vector<Set> touching_;
  std::vector<std::int64_t> lengths_;
};

}  // namespace

std::int64_t least_sum_of_few(const Jobs& jobs) {
  LongestQueue longest(jobs);
  const std::size_t sets = std::size_t{1} << jobs.count();
  std::vector<std::int64_t> least(sets, std::numeric_limits<std::int64_t>::max());
  least[0] = 0;
  for (Set set = 1; set < sets; ++set) {
    const std::int64_t done = longest.of(set);
    for (int last = 0; last < jobs.count(); ++last) {
      const Set bit = Set{1} << last;
      if ((set & bit) != 0)
        least[set] = std::min(least[set], least[set ^ bit] + jobs.weight(last) * done);
    }
  }
  return least[sets - 1];
}

}  // namespace headrace::plan
