#include "planner/job.hpp"

#include <stdexcept>
#include <string>

#include "workload/arguments.hpp"

namespace headrace::planner {

std::unique_ptr<workload::Workload> workload_of(const Json& job) {
  auto made = workload::make(job.at("workload").get<std::string>(),
                             job.at("settings").get<workload::Settings>(), job.at("ranks"));
  if (!made.ok()) throw std::runtime_error(made.status().message());
  return std::move(*made);
}

std::int64_t bytes_of(const Json& text) {
  const std::string words = text;
  const auto bytes = workload::parse_size(words);
  if (!bytes || *bytes == 0)
    throw std::runtime_error("\"" + words + "\" is no size; as 256MB or 1GiB");
  return *bytes;
}

}  // namespace headrace::planner
