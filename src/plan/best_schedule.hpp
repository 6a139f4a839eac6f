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

/// Never a higher average than gw_mdf. Starts from gw_mdf's order, from the one of a primal-dual
/// 2-approximation (primal_dual.hpp), and from that of the file; improves each by putting jobs
/// before others, near and far. The steps are those after the starts.
Queues best_queues(const Accesses& accesses, std::int64_t steps = default_search_steps);

/// No schedule has a lower average response time. It is the highest of
///   - what each process would take alone: the most windows that it has at one aggregator;
///   - the sum that proves the 2-approximation (primal_dual.hpp): at least half of what there is;
///   - with few jobs, the optimum (few_jobs.hpp).
double lower_bound_on_average(const Accesses& accesses);

}  // namespace headrace::plan
