// E3SM F at any size, for the maps of production runs are not public. As in the recorded map, D1 is
// cut as the dynamics is, D2 and D3 as the physics is.
#include <algorithm>

#include "base/checked_math.hpp"
#include "workload/cubed_sphere.hpp"
#include "workload/e3sm.hpp"

namespace headrace::workload {
namespace {

constexpr std::int64_t f_element = sizeof(float);
/// E3SM's physics works in chunks of at most so many columns.
constexpr std::int64_t chunk_columns = 16;

std::vector<MappedVariables> f_variables(const CubedSphere& sphere, std::int64_t levels) {
  const std::int64_t level_bytes = sphere.columns() * f_element;
  const std::int64_t volume_bytes = checked_multiply(levels, level_bytes);
  return {{1, level_bytes, level_bytes},
          {323, level_bytes, level_bytes},
          {63, volume_bytes, volume_bytes}};
}

plan::PlacedLayout layout_of_columns(std::vector<std::int64_t> columns) {
  std::sort(columns.begin(), columns.end());
  for (std::int64_t& column : columns) column *= f_element;
  return plan::blocks(columns, std::vector<std::int64_t>(columns.size(), f_element));
}

/// A rank makes its own columns only: O(own columns * log ne) time, O(own columns) memory.
///
/// At ne = 120 on 21,600 ranks this gives 1,367,631,984 requests (the TAM paper's table I: 1.35e9
/// to 1.37e9) and 14.08 GiB (14). A rank then has 36 columns in 7 to 20 runs, 13.0 on average: the
/// paper's total allows no more, for it is 1 + 323 + 63 * 72 lists of runs. With 54 columns a rank,
/// as recorded on 16 ranks, there are 13 to 23 (recorded 13 to 39). Of D1 a rank has 6 runs of 6
/// columns on 21,600 ranks; on 16 ranks 6 to 12, where the recorded map, which numbers the columns
/// element by element, has 2 to 4.
class SyntheticE3sm final : public E3sm {
 public:
  SyntheticE3sm(const CubedSphere& sphere, std::int64_t levels, int ranks)
      : E3sm(f_variables(sphere, levels), ranks), sphere_(sphere), levels_(levels) {}

 private:
  plan::PlacedLayout part(std::size_t map, int rank) const override {
    if (map == 0) return layout_of_columns(dynamics_columns(rank));
    const auto level = layout_of_columns(physics_columns(rank));
    return map == 1 ? level : plan::repeat(level, levels_, sphere_.columns() * f_element);
  }
  std::int64_t part_requests(std::size_t map, int rank) const override {
    const auto placed = part(map, rank);
    return placed.layout ? placed.layout->block_count() : 0;
  }

  /// Whole elements, one stretch of the curve through all elements.
  std::vector<std::int64_t> dynamics_columns(std::int64_t rank) const {
    constexpr std::int64_t edge = CubedSphere::element_edge;
    std::vector<std::int64_t> columns;
    const std::int64_t end = sphere_.elements() * (rank + 1) / ranks();
    for (std::int64_t e = sphere_.elements() * rank / ranks(); e < end; ++e)
      for (std::int64_t i = 0; i < edge * edge; ++i)
        columns.push_back(sphere_.row_of_element(e, i / edge) + i % edge);
    if (rank == ranks() - 1)
      for (std::int64_t i = CubedSphere::extra_columns; i > 0; --i)
        columns.push_back(sphere_.columns() - i);
    return columns;
  }

  /// Chunks, each a stretch of the curve through all columns, dealt to the ranks in turn, so that a
  /// rank's chunks lie far apart: day and night, land and sea are balanced. The recorded run's 16
  /// ranks have four chunks each.
  std::vector<std::int64_t> physics_columns(std::int64_t rank) const {
    const std::int64_t most_columns = (sphere_.columns() + ranks() - 1) / ranks();
    const std::int64_t rank_chunks = (most_columns + chunk_columns - 1) / chunk_columns;
    const std::int64_t chunks = rank_chunks * ranks();
    std::vector<std::int64_t> columns;
    for (std::int64_t chunk = rank; chunk < chunks; chunk += ranks()) {
      const std::int64_t end = sphere_.columns() * (chunk + 1) / chunks;
      for (std::int64_t place = sphere_.columns() * chunk / chunks; place < end; ++place)
        columns.push_back(sphere_.column_on_curve(place));
    }
    return columns;
  }

  CubedSphere sphere_;
  std::int64_t levels_;
};

}  // namespace

Made make_synthetic_e3sm(std::int64_t ne, std::int64_t levels, int ranks) {
  return Made(std::make_unique<SyntheticE3sm>(CubedSphere(ne), levels, ranks));
}

}  // namespace headrace::workload
