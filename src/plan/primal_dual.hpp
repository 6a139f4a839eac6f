// An order of jobs that is at most twice as slow as can be, and the lower bound that proves it: a
// dual solution of a linear program (Mastrolilli, Queyranne, Schulz, Svensson and Uhan, Minimizing
// the sum of weighted completion times in a concurrent open shop, 2010), carried over to tasks that
// jobs share.
//
// Take any set S of jobs and one machine, and split every task evenly among the jobs of S that it
// is part of: l_j is what comes to job j, and L is the sum, the number of tasks. When job j of S is
// done, so are all tasks of those of S that were done before; hence its completion time C_j is at
// least the sum of l_i over these and itself, and in any order
//
//   sum over S of l_j C_j >= (L^2 + sum of l_j^2) / 2.
//
// Multiples y of such inequalities, whose coefficients add up to at most the weight of each job,
// bound the weighted sum of all C_j from below. They are found from the back: S being all jobs
// left, the machine is the one with the most tasks, and the job that goes last is the one with the
// least weight left per l_j (Smith's ratio), which is y; then y l_j is taken off each weight. In
// the order so made C_j is at most L of the step that took j, and the weighted sum is at most the
// sum of y L^2: twice the bound.
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
