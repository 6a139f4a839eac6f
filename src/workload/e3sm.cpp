#include "workload/e3sm.hpp"

#include <fmt/format.h>

#include <array>

#include "base/checked_math.hpp"

namespace headrace::workload {
namespace {

constexpr std::array e3sm_parameters{
    Parameter{"map", "", "recorded map file, of the F, G or I case; empty: the synthetic F case"},
    Parameter{"ne", "4",
              "synthetic: elements along an edge of the cubed sphere; 120 is the paper's"},
    Parameter{"levels", "72", "synthetic: levels of the atmosphere"},
};

Made make_e3sm(Arguments& arguments, int ranks) {
  const std::string map = arguments.text("map");
  const std::int64_t ne = arguments.integer("ne", 1, 10'000);
  const std::int64_t levels = arguments.integer("levels", 1, 10'000);
  if (!arguments.status().ok()) return arguments.status();
  if (!map.empty()) return make_recorded_e3sm(arguments, map, ranks);
  return make_synthetic_e3sm(ne, levels, ranks);
}

}  // namespace

E3sm::E3sm(std::vector<MappedVariables> maps, int ranks) : maps_(std::move(maps)), ranks_(ranks) {
  for (const MappedVariables& map : maps_) {
    call_stride_ = checked_add(call_stride_, checked_multiply(map.count, map.array_bytes));
    call_bytes_ += map.count * map.bytes;
  }
}

plan::PlacedLayout E3sm::file(int rank) const {
  std::vector<plan::PlacedLayout> parts;
  std::int64_t begin = 0;
  for (std::size_t k = 0; k < maps_.size(); ++k) {
    auto variables = plan::repeat(part(k, rank), maps_[k].count, maps_[k].array_bytes);
    variables.offset += begin;
    parts.push_back(std::move(variables));
    begin += maps_[k].count * maps_[k].array_bytes;
  }
  return plan::sequence(parts);
}

std::int64_t E3sm::requests(int rank) const {
  std::int64_t requests = 0;
  for (std::size_t k = 0; k < maps_.size(); ++k)
    requests += maps_[k].count * part_requests(k, rank);
  return requests;
}

Maker e3sm_maker() {
  return {{"e3sm", "E3SM F, G and I: 41 to 546 variables of an earth system model (TAM paper, V-A)",
           e3sm_parameters},
          make_e3sm};
}

}  // namespace headrace::workload
