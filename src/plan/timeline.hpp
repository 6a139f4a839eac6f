// Jobs served one after another, each aggregator at its own pace.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/jobs.hpp"
#include "plan/schedule.hpp"

namespace headrace::plan {

class Timeline {
 public:
  /// Refers to the jobs, and does not own them.
  explicit Timeline(const Jobs& jobs)
      : jobs_(jobs), served_at_(jobs.accesses().windows()), loads_(jobs.accesses().aggregators()) {}

  /// Serves what is left of a job's windows. Gives its weighted completion time. O(its windows).
  std::int64_t serve(int job);

  /// To return to later, forgetting what was served in between.
  std::size_t now() const noexcept { return served_.size(); }
  void back_to(std::size_t then);

  /// What was served so far, in that order.
  Queues queues() const;

  /// Accesses looked at, ever.
  std::int64_t steps() const noexcept { return steps_; }

 private:
  const Jobs& jobs_;
  std::vector<std::int64_t> served_at_;  // by window; 0: not yet
  std::vector<std::int64_t> loads_;      // served so far, by aggregator
  std::vector<int> served_;              // windows
  std::int64_t steps_ = 0;
};

}  // namespace headrace::plan
