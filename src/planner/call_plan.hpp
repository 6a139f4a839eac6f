// What the planning code decides for one collective call of a workload, with nothing run.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/accesses.hpp"
#include "plan/aggregators.hpp"
#include "plan/node_map.hpp"
#include "plan/plan.hpp"
#include "workload/workload.hpp"

namespace headrace::planner {

/// The machine: ranks in blocks on the nodes, a file in stripes on storage targets.
struct Machine {
  int ranks_per_node = 1;
  std::int64_t stripe_size = 0;
  std::int64_t stripe_count = 0;
};

struct CallPlan {
  plan::NodeMap nodes;
  plan::Service service;  ///< what headrace_method=auto comes to; the rest is of an exchange
  plan::LocalAggregators local;
  std::vector<int> global;  ///< ranks of the global aggregators
  plan::Windows windows;
  std::vector<plan::Pattern> files;  ///< by rank
  plan::Accesses accesses;           ///< the ranks are the processes
};

/// One call of the workload, 0 being the first; hints at their defaults. Memory: the patterns of
/// all ranks, and what plan::Accesses takes.
CallPlan plan_call(const workload::Workload& workload, std::int64_t call, const Machine& machine);

/// As the engine counts them (report/counters.hpp).
struct Traffic {
  std::int64_t requests_before = 0;
  std::int64_t requests_after = 0;
  std::int64_t requests_in_domains = 0;
  std::int64_t messages = 0;
  std::int64_t list_bytes = 0;  ///< of requests, in these messages
  std::int64_t data_bytes = 0;  ///< in these messages
};

/// Merges what the engine would merge, window by window: O(requests) time, the requests of one
/// window as memory.
Traffic count_traffic(const CallPlan& plan);

}  // namespace headrace::planner
