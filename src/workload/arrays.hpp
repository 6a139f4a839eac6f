// Arrays cut into blocks: what S3D, BTIO and the lattice have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "plan/layout.hpp"
#include "workload/arguments.hpp"

namespace headrace::workload {

/// Elements of an array of `edges` from `low` on, `size` along each dimension.
struct Block {
  Edges low;
  Edges size;
};

/// Where the block lies in the array, each element having `element_bytes`.
plan::PlacedLayout block_of_array(const Edges& edges, const Block& block,
                                  std::int64_t element_bytes);
/// The byte of element `place`.
std::int64_t offset_in_array(const Edges& edges, const Edges& place, std::int64_t element_bytes);

/// The product, refusing to overflow (std::overflow_error).
std::int64_t volume(const Edges& edges);

/// The block of `rank` where `grid` cuts `edges`, ranks numbered along the first dimension first.
/// Precondition: every edge of the grid divides the array's.
Block block_of_rank(const Edges& edges, const Edges& grid, int rank);

/// The grid of `ranks` ranks, each edge dividing the array's, that is nearest to a cube: the
/// smallest sum of edges; of several, the one with the longest first edges. nullopt: there is none.
std::optional<Edges> near_cube(const Edges& edges, int ranks);

/// The grid a user gave, or else near_cube(); fails where either does not cut the array.
Result<Edges> choose_grid(const Arguments& arguments, const std::optional<Edges>& given,
                          const Edges& edges, int ranks);

/// The number of ranks nearest to `ranks` that `can_cut`, the lower of two. It must hold for 1.
int nearest_ranks(int ranks, const std::function<bool(int)>& can_cut);

/// "800x800x400".
std::string edges_text(const Edges& edges);

}  // namespace headrace::workload
