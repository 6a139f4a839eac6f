// The 2-approximation of best_schedule.hpp, and the lower bound that it proves itself by.
#pragma once

#include <vector>

#include "plan/jobs.hpp"

namespace headrace::plan {

struct PrimalDual {
  std::vector<int> order;  ///< of jobs, first served first
  double bound = 0;        ///< no order has a lower sum of weighted completion times
};

/// O(jobs * accesses of one aggregator).
PrimalDual primal_dual(const Jobs& jobs);

}  // namespace headrace::plan
