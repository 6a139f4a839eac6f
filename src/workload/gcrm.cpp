// GCRM-IO: the grid variables of a global cloud resolving model on a geodesic grid (scheduling
// paper, section 3, Fig. 6).
//
// The paper counts 11 grid variables and names none. Chosen are the coordinates of the geodesic
// grid and the lists that say what touches what, all of four bytes an element (float or int), in
// the one order that makes the paper's file: at level 10 on 1,280 ranks variables of 40 MiB at
// stripe 0 and stripe 1441 (of 1 MiB), each stripe of these touched by 32 ranks, most others by 6.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "workload/arrays.hpp"
#include "workload/makers.hpp"

namespace headrace::workload {
namespace {

constexpr std::int64_t gcrm_element = 4;
/// Cells 0 and 1, which belong to no panel.
constexpr std::int64_t gcrm_poles = 2;
constexpr std::int64_t gcrm_panels = 10;

struct GridVariable {
  std::int64_t per_cell;  ///< 1 for cells, 2 for corners, 3 for edges
  std::int64_t values;    ///< of a cell, corner or edge
  bool has_poles;
};
constexpr std::array<GridVariable, 11> gcrm_variables{{
    {1, 1, true},   // grid_center_lat(cells)
    {1, 1, true},   // grid_center_lon(cells)
    {2, 1, false},  // grid_corner_lat(corners)
    {2, 1, false},  // grid_corner_lon(corners)
    {1, 6, true},   // cell_corners(cells, 6)
    {1, 6, true},   // cell_neighbors(cells, 6)
    {1, 6, true},   // cell_edges(cells, 6)
    {3, 2, false},  // edge_corners(edges, 2)
    {3, 1, false},  // grid_edge_lat(edges)
    {3, 1, false},  // grid_edge_lon(edges)
    {1, 1, true},   // area(cells)
}};

constexpr std::array gcrm_parameters{
    Parameter{"level", "7", "refinements of the grid, 0 to 13; 9, 10 and 11 are the paper's"},
};

/// Bytes of a variable for each cell of a panel.
std::int64_t cell_bytes(const GridVariable& variable) {
  return variable.per_cell * variable.values * gcrm_element;
}

/// Bytes of a variable for each pole.
std::int64_t pole_bytes(const GridVariable& variable) {
  return variable.has_poles ? variable.values * gcrm_element : 0;
}

/// The grid is cut into blocks of cells, numbered panel by panel and in Morton order on a panel.
/// The file has the cells in Morton order too, so that a block, and a rank's blocks, are contiguous
/// in each variable. The poles are the first and the last rank's.
class Gcrm final : public Workload {
 public:
  Gcrm(std::int64_t level, int ranks) : panel_cells_(gcrm_panels << (2 * level)), ranks_(ranks) {
    for (const GridVariable& variable : gcrm_variables)
      bytes_ += panel_cells_ * cell_bytes(variable) + gcrm_poles * pole_bytes(variable);
  }

  int ranks() const override { return ranks_; }
  plan::PlacedLayout file(int rank) const override {
    std::vector<plan::PlacedLayout> parts;
    std::int64_t begin = 0;
    for (const GridVariable& variable : gcrm_variables) {
      const std::int64_t pole = pole_bytes(variable);
      const std::int64_t rank_bytes = panel_cells_ / ranks_ * cell_bytes(variable);
      if (rank == 0) parts.push_back({begin, plan::contiguous(pole).layout});
      if (rank == ranks_ - 1) parts.push_back({begin + pole, plan::contiguous(pole).layout});
      begin += gcrm_poles * pole;
      parts.push_back({begin + rank * rank_bytes, plan::contiguous(rank_bytes).layout});
      begin += ranks_ * rank_bytes;
    }
    return plan::sequence(parts);
  }
  std::int64_t call_stride() const override { return bytes_; }
  std::int64_t call_bytes() const override { return bytes_; }
  std::int64_t default_calls() const override { return 2; }

 private:
  std::int64_t panel_cells_;
  int ranks_;
  std::int64_t bytes_ = 0;
};

/// Whether 10 * 4^i blocks, for an i up to the level, are as many for each rank.
bool can_deal_blocks(std::int64_t level, std::int64_t ranks) {
  return (gcrm_panels << (2 * level)) % ranks == 0;
}

Made make_gcrm(Arguments& arguments, int ranks) {
  const std::int64_t level = arguments.integer("level", 0, 13);
  if (!arguments.status().ok()) return arguments.status();
  const auto can_deal = [level](int count) { return can_deal_blocks(level, count); };
  if (!can_deal(ranks))
    return arguments.complaint(fmt::format(
        "{} ranks cannot have as many blocks each, of 10 x 4^i up to level {}: the nearest number "
        "that can is {}",
        ranks, level, nearest_ranks(ranks, can_deal)));
  return Made(std::make_unique<Gcrm>(level, ranks));
}

}  // namespace

Maker gcrm_maker() {
  return {
      {"gcrm", "GCRM-IO: 11 variables of a geodesic grid (scheduling paper, 3)", gcrm_parameters},
      make_gcrm};
}

}  // namespace headrace::workload
