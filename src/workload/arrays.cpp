#include "workload/arrays.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/checked_math.hpp"

namespace headrace::workload {
namespace {

std::int64_t sum(const Edges& edges) {
  return std::accumulate(edges.begin(), edges.end(), std::int64_t{0});
}

/// Tries every edge of the next dimension, the longest first, and keeps the best whole grid.
void search_grids(const Edges& edges, std::int64_t ranks, Edges& grid, std::optional<Edges>& best) {
  const std::size_t dimension = grid.size();
  if (dimension == edges.size()) {
    if (ranks == 1 && (!best || sum(grid) < sum(*best))) best = grid;
    return;
  }
  for (std::int64_t edge = std::min(ranks, edges[dimension]); edge >= 1; --edge) {
    if (ranks % edge != 0 || edges[dimension] % edge != 0) continue;
    grid.push_back(edge);
    search_grids(edges, ranks / edge, grid, best);
    grid.pop_back();
  }
}

bool divides(const Edges& grid, const Edges& edges) {
  for (std::size_t d = 0; d < edges.size(); ++d)
    if (edges[d] % grid[d] != 0) return false;
  return true;
}

}  // namespace

std::int64_t offset_in_array(const Edges& edges, const Edges& place, std::int64_t element_bytes) {
  std::int64_t offset = 0;
  for (std::size_t d = edges.size(); d-- > 0;) offset = offset * edges[d] + place[d];
  return offset * element_bytes;
}

plan::PlacedLayout block_of_array(const Edges& edges, const Block& block,
                                  std::int64_t element_bytes) {
  plan::PlacedLayout layout = plan::contiguous(block.size[0] * element_bytes);
  std::int64_t stride = element_bytes;
  for (std::size_t d = 1; d < edges.size(); ++d) {
    stride *= edges[d - 1];
    layout = plan::repeat(layout, block.size[d], stride);
  }
  layout.offset += offset_in_array(edges, block.low, element_bytes);
  return layout;
}

std::int64_t volume(const Edges& edges) {
  return std::accumulate(edges.begin(), edges.end(), std::int64_t{1}, checked_multiply);
}

Block block_of_rank(const Edges& edges, const Edges& grid, int rank) {
  Block block;
  std::int64_t rest = rank;
  for (std::size_t d = 0; d < edges.size(); ++d) {
    block.size.push_back(edges[d] / grid[d]);
    block.low.push_back(rest % grid[d] * block.size[d]);
    rest /= grid[d];
  }
  return block;
}

std::optional<Edges> near_cube(const Edges& edges, int ranks) {
  std::optional<Edges> best;
  Edges grid;
  search_grids(edges, ranks, grid, best);
  return best;
}

Result<Edges> choose_grid(const Arguments& arguments, const std::optional<Edges>& given,
                          const Edges& edges, int ranks) {
  if (given && volume(*given) != ranks)
    return arguments.complaint(fmt::format("a grid of {} has {} ranks, not {}", edges_text(*given),
                                           volume(*given), ranks));
  if (given && !divides(*given, edges))
    return arguments.complaint(fmt::format("a grid of {} does not divide {} evenly",
                                           edges_text(*given), edges_text(edges)));
  if (given) return *given;
  if (auto grid = near_cube(edges, ranks)) return *std::move(grid);
  const auto can_cut = [&edges](int count) { return near_cube(edges, count).has_value(); };
  return arguments.complaint(
      fmt::format("{} ranks cannot cut {} evenly: the nearest number that can is {}", ranks,
                  edges_text(edges), nearest_ranks(ranks, can_cut)));
}

int nearest_ranks(int ranks, const std::function<bool(int)>& can_cut) {
  for (int distance = 0;; ++distance) {
    if (ranks > distance && can_cut(ranks - distance)) return ranks - distance;
    if (can_cut(ranks + distance)) return ranks + distance;
  }
}

std::string edges_text(const Edges& edges) {
  return fmt::format("{}", fmt::join(edges, "x"));
}

}  // namespace headrace::workload
