// The schedule that goes for the least average response time itself, and how little it can be.
//
// Aggregators are machines, processes are jobs that are done when all their parts are, windows are
// tasks of unit time, one task perhaps a part of several jobs: concurrent open shop with shared
// tasks. Some order of the processes always gives an optimal schedule: each aggregator serves the
// first process's windows, then what is left of the second's, and so on. (Take any schedule, order
// the processes by when they are done: no process is done later.) The order is what is looked for.
// Processes that touch the same windows are one job, which weighs as many as they are.
#pragma once

#include <cstdint>

#include "plan/accesses.hpp"
#include "plan/schedule.hpp"

namespace headrace::plan {

/// Steps that the search may take, a step being a look at one access; it is not a time, so that all
/// ranks find the same. About a second.
constexpr std::int64_t default_search_steps = std::int64_t{1} << 28;

/// Never a higher average than gw_mdf. Starts from gw_mdf's order and from the one of a primal-dual
/// 2-approximation (lower_bound_on_average), and improves both by exchanging neighbours and by
/// putting processes elsewhere. The steps are those after the starts.
Queues best_queues(const Accesses& accesses, std::int64_t steps = default_search_steps);

/// No schedule has a lower average response time, and none but half as low as best_queues can.
///
/// It is a dual solution of a linear program (Mastrolilli, Queyranne, Schulz, Svensson and Uhan,
/// Minimizing the sum of weighted completion times in a concurrent open shop, 2010), carried over
/// to shared tasks. Take any set S of jobs and one machine, and split every task evenly among the
/// jobs of S that it is part of: l_j is what comes to job j, and L the sum, which is the number of
/// tasks. When job j of S is done, so are the tasks of all of S done before; hence C_j is at least
/// the sum of l_i over these and itself, and sum(l_j C_j) >= (L^2 + sum(l_j^2)) / 2 in any order.
/// Multiples y of such inequalities whose coefficients add up to at most the weight of each job
/// give a lower bound on the weighted sum of all C_j. They are found from the back: S being all
/// jobs left, the machine is the one with the most tasks, and the job that goes last is the one of
/// least weight left per l_j (Smith's ratio), which is y. Then y l_j is taken off all weights.
/// In this order C_j is at most L of the step that took j, so its sum is at most the sum of y L^2:
/// twice the bound.
///
/// Where each process alone takes longer than that, the bound is the average of what it takes:
/// the most windows that it has at one aggregator.
double lower_bound_on_average(const Accesses& accesses);

}  // namespace headrace::plan
