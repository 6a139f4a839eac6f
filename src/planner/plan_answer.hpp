// The plan of one call, and what each schedule makes of it, as JSON.
#pragma once

#include "planner/job.hpp"

namespace headrace::planner {

/// The job has, besides its workload, "call" (its number, from 0), "ranks_per_node", "stripe" (a
/// size), "osts" (the stripe count) and "schedules" (their names). Throws std::runtime_error, with
/// a sentence for the user.
Json plan_answer(const Json& job);

}  // namespace headrace::planner
