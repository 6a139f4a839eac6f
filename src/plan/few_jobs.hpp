// The least sum of completion times where the jobs are so few that all sets of them can be gone
// through.
#pragma once

#include <cstdint>

#include "plan/jobs.hpp"

namespace headrace::plan {

constexpr int few_jobs = 12;

/// The weighted sum of completion times of an optimal schedule. When the last job of a set is done,
/// every aggregator has served what the set touches there; so that is not before L(set), the most
/// windows that it touches at one aggregator. Serving jobs in an order, none is done later than L
/// of itself and those before it. So the optimum is the least sum, over all orders, of the weights
/// times L: found by dynamic programming over sets.
/// Precondition: at most few_jobs jobs. O(2^jobs * (jobs + windows)).
std::int64_t least_sum_of_few(const Jobs& jobs);

}  // namespace headrace::plan
