// The table of workloads, and the making of one by name.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "workload/makers.hpp"

namespace headrace::workload {
namespace {

const std::vector<Maker>& makers() {
  static const std::vector<Maker> table{e3sm_maker(),   btio_maker(),   s3d_maker(),
                                        hacc_maker(),   gcrm_maker(),   lattice_maker(),
                                        uneven_maker(), random_maker(), ior_maker()};
  return table;
}

template <class Rows>
std::string names_of(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool has_parameter(const Kind& kind, std::string_view name) {
  return std::any_of(kind.parameters.begin(), kind.parameters.end(),
                     [name](const Parameter& row) { return row.name == name; });
}

Status check_names(const Kind& kind, const Settings& settings) {
  for (const auto& [name, value] : settings) {
    if (has_parameter(kind, name)) continue;
    return {ErrorClass::other, fmt::format("{} has no parameter '{}': it has {}", kind.name, name,
                                           names_of(kind.parameters))};
  }
  return {};
}

}  // namespace

std::span<const Kind> kinds() {
  static const std::vector<Kind> table = [] {
    std::vector<Kind> rows;
    for (const Maker& maker : makers()) rows.push_back(maker.kind);
    return rows;
  }();
  return table;
}

Made make(std::string_view name, const Settings& settings, int ranks) {
  const auto maker = std::find_if(makers().begin(), makers().end(),
                                  [name](const Maker& row) { return row.kind.name == name; });
  if (maker == makers().end())
    return Status(ErrorClass::other,
                  fmt::format("there is no workload '{}': there are {}", name, names_of(kinds())));
  if (Status status = check_names(maker->kind, settings); !status.ok()) return status;
  Arguments arguments(maker->kind, settings);
  if (ranks < 1) return arguments.complaint(fmt::format("{} ranks are too few: 1 at least", ranks));
  try {
    return maker->make(arguments, ranks);
  } catch (const std::overflow_error&) {
    return arguments.complaint("a file of these parameters would have more than 2^63 bytes");
  }
}

}  // namespace headrace::workload
