// E3SM from a recorded map. The case follows from the file's maps.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/checked_math.hpp"
#include "workload/decomposition_map.hpp"
#include "workload/e3sm.hpp"

namespace headrace::workload {
namespace {

/// What a case writes in its production output.
struct E3smCase {
  std::string_view name;
  std::int64_t element_bytes;
  std::vector<std::size_t> dimensions;  ///< of each map's array
  std::vector<std::int64_t> variables;  ///< of each map
};

const std::array<E3smCase, 3>& e3sm_cases() {
  static const std::array<E3smCase, 3> cases{{
      {"F", sizeof(float), {1, 1, 2}, {1, 323, 63}},
      {"G", sizeof(double), {1, 1, 2, 2, 2, 2}, {6, 2, 25, 2, 2, 4}},
      {"I", sizeof(float), {2, 3, 3, 3, 3}, {465, 75, 4, 1, 1}},
  }};
  return cases;
}

/// nullptr: no case has such maps.
const E3smCase* case_of(const DecompositionMap& map) {
  std::vector<std::size_t> dimensions;
  for (const Decomposition& decomposition : map.decompositions)
    dimensions.push_back(decomposition.shape.size());
  const auto found =
      std::find_if(e3sm_cases().begin(), e3sm_cases().end(),
                   [&](const E3smCase& row) { return row.dimensions == dimensions; });
  return found == e3sm_cases().end() ? nullptr : &*found;
}

std::vector<MappedVariables> variables_of(const DecompositionMap& map, const E3smCase& e3sm_case) {
  std::vector<MappedVariables> variables;
  for (std::size_t k = 0; k < map.decompositions.size(); ++k) {
    const Decomposition& decomposition = map.decompositions[k];
    variables.push_back({e3sm_case.variables[k],
                         checked_multiply(decomposition.array_elements(), e3sm_case.element_bytes),
                         decomposition.recorded_elements() * e3sm_case.element_bytes});
  }
  return variables;
}

/// Where part number `part` of `parts` begins, `count` things being dealt out in consecutive blocks
/// as evenly as possible.
std::int64_t begin_of_part(std::int64_t count, std::int64_t part, std::int64_t parts) {
  return count * part / parts;
}

struct Range {
  std::int64_t begin;
  std::int64_t end;
};

class RecordedE3sm final : public E3sm {
 public:
  RecordedE3sm(DecompositionMap map, const E3smCase& e3sm_case, int ranks)
      : E3sm(variables_of(map, e3sm_case), ranks),
        map_(std::move(map)),
        element_bytes_(e3sm_case.element_bytes) {}

 private:
  /// The rank's requests in the list of the map. Recorded processes are dealt out in consecutive
  /// blocks as evenly as possible (TAM paper, V-A). Where there are more ranks than processes, the
  /// ranks are so dealt to the processes, and each process's requests to its ranks.
  Range own_requests(const Decomposition& map, std::int64_t rank) const {
    const std::int64_t processes = map_.processes;
    if (ranks() <= processes)
      return {map.first[begin_of_part(processes, rank, ranks())],
              map.first[begin_of_part(processes, rank + 1, ranks())]};
    // The last process whose ranks begin at or before this one.
    const std::int64_t process = ((rank + 1) * processes - 1) / ranks();
    const std::int64_t first_rank = begin_of_part(ranks(), process, processes);
    const std::int64_t parts = begin_of_part(ranks(), process + 1, processes) - first_rank;
    const std::int64_t begin = map.first[process];
    const std::int64_t count = map.first[process + 1] - begin;
    return {begin + begin_of_part(count, rank - first_rank, parts),
            begin + begin_of_part(count, rank - first_rank + 1, parts)};
  }

  plan::PlacedLayout part(std::size_t map, int rank) const override {
    const Decomposition& decomposition = map_.decompositions[map];
    const Range range = own_requests(decomposition, rank);
    std::vector<ElementRun> runs(decomposition.requests.begin() + range.begin,
                                 decomposition.requests.begin() + range.end);
    // The requests of several processes interleave.
    std::sort(runs.begin(), runs.end(),
              [](const ElementRun& a, const ElementRun& b) { return a.offset < b.offset; });
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> lengths;
    for (const ElementRun& run : runs) {
      offsets.push_back(run.offset * element_bytes_);
      lengths.push_back(run.length * element_bytes_);
    }
    return plan::blocks(offsets, lengths);
  }

  std::int64_t part_requests(std::size_t map, int rank) const override {
    const Range range = own_requests(map_.decompositions[map], rank);
    return range.end - range.begin;
  }

  DecompositionMap map_;
  std::int64_t element_bytes_;
};

}  // namespace

Made make_recorded_e3sm(const Arguments& arguments, const std::string& map_file, int ranks) {
  auto map = read_decomposition_map(map_file);
  if (!map.ok()) return arguments.complaint(map.status().message());
  const E3smCase* e3sm_case = case_of(*map);
  if (e3sm_case == nullptr)
    return arguments.complaint(
        fmt::format("map file {}: its {} maps are not those of the F, G or I case", map_file,
                    map->decompositions.size()));
  return Made(std::make_unique<RecordedE3sm>(std::move(*map), *e3sm_case, ranks));
}

}  // namespace headrace::workload
