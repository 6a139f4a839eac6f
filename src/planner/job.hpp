// What a user asks the planner for, as JSON.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "workload/workload.hpp"

namespace headrace::planner {

using Json = nlohmann::ordered_json;

/// The workload of a job: {"workload", "settings", "ranks", ...}. Throws std::runtime_error, with a
/// sentence for the user, where it cannot be made.
std::unique_ptr<workload::Workload> workload_of(const Json& job);

/// A size of at least one byte, as users write it. Throws std::runtime_error if it is none.
std::int64_t bytes_of(const Json& text);

}  // namespace headrace::planner
