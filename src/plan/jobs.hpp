// The processes of a call as jobs of a concurrent open shop (best_schedule.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/accesses.hpp"

namespace headrace::plan {

/// Processes that touch the same windows, which are done at one time in any schedule. Those that
/// touch nothing are no job. Numbered by their windows, in lexicographical order.
class Jobs {
 public:
  /// Refers to the accesses, and does not own them.
  explicit Jobs(const Accesses& accesses);

  const Accesses& accesses() const noexcept { return accesses_; }
  int count() const noexcept { return static_cast<int>(members_.size()); }
  int job_of(int process) const { return job_of_[process]; }
  /// How many processes it is.
  std::int64_t weight(int job) const { return members_[job].weight; }
  std::span<const int> windows(int job) const { return accesses_.of(members_[job].process); }

 private:
  struct Member {
    int process;  // the first
    std::int64_t weight;
  };

  const Accesses& accesses_;
  std::vector<Member> members_;
  std::vector<int> job_of_;  // by process; -1 for those that touch nothing
};

}  // namespace headrace::plan
