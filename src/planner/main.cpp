// What the planning code knows without running anything: no MPI is needed.
//
//   headrace-plan kinds             the table of workloads
//   headrace-plan describe JOB      JOB: {"workload", "settings", "ranks", "ranks_per_node",
//                                   "piece", "size": text or null} as JSON
//   headrace-plan plan JOB          the plan of one call; JOB: see plan_answer.hpp
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "planner/job.hpp"
#include "planner/network_floor.hpp"
#include "planner/plan_answer.hpp"
#include "workload/workload.hpp"

namespace headrace::planner {
namespace {

Json kinds() {
  Json all = Json::array();
  for (const workload::Kind& kind : workload::kinds()) {
    Json parameters = Json::array();
    for (const workload::Parameter& parameter : kind.parameters)
      parameters.push_back({{"name", parameter.name},
                            {"default", parameter.default_value},
                            {"meaning", parameter.meaning}});
    all.push_back({{"name", kind.name}, {"meaning", kind.meaning}, {"parameters", parameters}});
  }
  return all;
}

std::int64_t requests_per_call(const workload::Workload& workload) {
  std::int64_t requests = 0;
  for (int rank = 0; rank < workload.ranks(); ++rank) requests += workload.requests(rank);
  return requests;
}

/// How many calls reach the size that the user asks for, if any.
std::int64_t calls(const workload::Workload& workload, const Json& size) {
  if (size.is_null()) return workload.default_calls();
  return (bytes_of(size) + workload.call_bytes() - 1) / workload.call_bytes();
}

Json describe(const Json& job) {
  const auto made = workload_of(job);
  const workload::Workload& workload = *made;
  const plan::NodeMap nodes = plan::NodeMap::blocks(workload.ranks(), job.at("ranks_per_node"));
  const AcrossNodes across = bytes_across_nodes(workload, nodes, job.at("piece"));
  return {{"bytes_per_call", workload.call_bytes()},
          {"requests_per_call", requests_per_call(workload)},
          {"displacement_stride", workload.call_stride()},
          {"header_bytes", workload.header_bytes()},
          {"calls", calls(workload, job.at("size"))},
          {"nodes", nodes.node_count()},
          {"least_bytes_across", across.least_bytes},
          {"even_bytes_across", across.even_bytes}};
}

Json answer(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "kinds") return kinds();
  if (words.size() == 2 && words[0] == "describe") return describe(Json::parse(words[1]));
  if (words.size() == 2 && words[0] == "plan") return plan_answer(Json::parse(words[1]));
  throw std::runtime_error("usage: headrace-plan kinds | describe JOB | plan JOB");
}

}  // namespace
}  // namespace headrace::planner

int main(int argc, char** argv) {
  try {
    const auto answer = headrace::planner::answer({argv + 1, argv + argc});
    std::printf("%s\n", answer.dump().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
