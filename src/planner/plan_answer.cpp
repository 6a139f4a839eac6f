#include "planner/plan_answer.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/direction.hpp"
#include "plan/best_schedule.hpp"
#include "plan/schedule.hpp"
#include "planner/call_plan.hpp"

namespace headrace::planner {
namespace {

Schedule schedule_named(const std::string& name) {
  const auto row = std::ranges::find(schedules, name, [](const auto& row) { return row.name; });
  if (row != schedules.end()) return row->value;
  std::string names;
  for (const auto& [known, schedule] : schedules) names.append(" ").append(known);
  throw std::runtime_error("\"" + name + "\" is no schedule; there are" + names);
}

std::string_view name_of(plan::Service service) {
  switch (service) {
    case plan::Service::nothing:
      return "nothing";
    case plan::Service::direct:
      return "direct";
    case plan::Service::small:
      return "small";
    case plan::Service::two_phase:
      return "two_phase";
    case plan::Service::tam:
      break;
  }
  return "tam";
}

Json degree(const plan::Accesses& accesses) {
  const std::vector<int> degrees = accesses.degrees();
  const auto [least, most] = std::ranges::minmax_element(degrees);
  const auto sum = std::accumulate(degrees.begin(), degrees.end(), std::int64_t{0});
  return {{"min", *least},
          {"mean", static_cast<double>(sum) / static_cast<double>(degrees.size())},
          {"max", *most}};
}

/// How many windows the aggregator with the most has.
std::int64_t rounds(const plan::Queues& queues) {
  std::int64_t most = 0;
  for (const auto& queue : queues) most = std::max<std::int64_t>(most, std::ssize(queue));
  return most;
}

Json layers(const CallPlan& plan) {
  const Traffic traffic = count_traffic(plan);
  return {{"requests_before", traffic.requests_before},
          {"requests_after", traffic.requests_after},
          {"requests_in_domains", traffic.requests_in_domains},
          {"messages", traffic.messages},
          {"list_bytes", traffic.list_bytes},
          {"data_bytes", traffic.data_bytes}};
}

/// When ranks return, on average, with early return. Data to write is accepted as soon as a
/// collective buffer is free for it: while the windows before are being served. A global aggregator
/// has all its windows to serve first, and the first rank of each of several nodes waits for all.
double average_return(const CallPlan& plan, const plan::Queues& queues, plan::ResponseTimes times,
                      Direction direction) {
  const std::int64_t slowest = times.slowest();
  if (direction == Direction::write)
    for (std::int64_t& own : times.of_process)
      own = std::max<std::int64_t>(own - plan::collective_buffers, 0);
  for (std::size_t i = 0; i < plan.global.size(); ++i) {
    std::int64_t& own = times.of_process[plan.global[i]];
    own = std::max<std::int64_t>(own, std::ssize(queues[i]));
  }
  if (plan.nodes.node_count() > 1)
    for (int node = 0; node < plan.nodes.node_count(); ++node)
      times.of_process[plan.nodes.ranks_of(node)[0]] = slowest;
  return times.average();
}

Json responses(const Json& names, const CallPlan& plan, double offset) {
  Json rows = Json::array();
  for (const std::string name : names) {
    const auto queues = plan::make_queues(schedule_named(name), plan.accesses);
    const plan::ResponseTimes times = plan::response_times(plan.accesses, queues);
    rows.push_back({{"schedule", name},
                    {"average", times.average()},
                    {"average_return",
                     {{"write", average_return(plan, queues, times, Direction::write)},
                      {"read", average_return(plan, queues, times, Direction::read)}}},
                    {"reduction", 1 - times.average() / offset},
                    {"slowest", times.slowest()}});
  }
  return rows;
}

Machine machine_of(const Json& job) {
  return {job.at("ranks_per_node"), bytes_of(job.at("stripe")), job.at("osts")};
}

}  // namespace

Json plan_answer(const Json& job) {
  const auto workload = workload_of(job);
  const Machine machine = machine_of(job);
  const CallPlan plan = plan_call(*workload, job.at("call"), machine);
  const plan::Accesses& accesses = plan.accesses;
  const plan::Queues in_order = plan::make_queues(Schedule::offset, accesses);
  const double offset = plan::response_times(accesses, in_order).average();
  const double bound = plan::lower_bound_on_average(accesses);
  return {{"nodes", plan.nodes.node_count()},
          {"service", name_of(plan.service)},
          {"local_aggregators", plan.local.count()},
          {"global_aggregators", plan.global.size()},
          {"bytes", workload->call_bytes()},
          {"stripe_bytes", machine.stripe_size},
          {"layers", layers(plan)},
          {"windows", accesses.windows()},
          {"rounds", rounds(in_order)},
          {"degree", degree(accesses)},
          {"weights_to_gather", plan::weights_to_gather(accesses)},
          {"schedules", responses(job.at("schedules"), plan, offset)},
          {"lower_bound", {{"average", bound}, {"reduction", 1 - bound / offset}}}};
}

}  // namespace headrace::planner
