// BTIO of the NAS parallel benchmarks: block-tridiagonal (multi-partition) decomposition of double
// var[Z][Y][X][5] (TAM paper, V-B). P = q^2 ranks; each owns q cells on a diagonal, so that every
// plane of cells has one of each rank.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "base/checked_math.hpp"
#include "workload/arrays.hpp"
#include "workload/makers.hpp"

namespace headrace::workload {
namespace {

constexpr std::int64_t btio_element = 5 * sizeof(double);
/// Layers of neighbours' points around a cell in memory.
constexpr std::int64_t btio_halo = 2;

constexpr std::array btio_parameters{
    Parameter{"edge", "64", "points of the mesh along each side, or XxYxZ; 512 is the paper's"},
};

/// Points low to low + size of one dimension.
struct Slab {
  std::int64_t low;
  std::int64_t size;
};

/// Cell number k of q along `points` points; the first ones take what does not divide.
Slab slab(std::int64_t points, std::int64_t q, std::int64_t k) {
  const std::int64_t size = points / q;
  const std::int64_t longer = points % q;
  return {k * size + std::min(k, longer), size + (k < longer ? 1 : 0)};
}

class Btio final : public Workload {
 public:
  Btio(Edges edges, std::int64_t q)
      : edges_(std::move(edges)), q_(q), bytes_(checked_multiply(volume(edges_), btio_element)) {}

  int ranks() const override { return static_cast<int>(q_ * q_); }
  plan::PlacedLayout file(int rank) const override {
    const auto place = [this](const Block& cell, std::int64_t) {
      return offset_in_array(edges_, cell.low, btio_element);
    };
    return cells_in(edges_, rank, place);
  }
  plan::PlacedLayout memory(int rank) const override {
    Edges padded;
    for (const std::int64_t points : edges_) padded.push_back(points / q_ + 1 + 2 * btio_halo);
    const std::int64_t inner =
        offset_in_array(padded, {btio_halo, btio_halo, btio_halo}, btio_element);
    const auto place = [=, cell_bytes = volume(padded) * btio_element](
                           const Block&, std::int64_t c) { return c * cell_bytes + inner; };
    return cells_in(padded, rank, place);
  }
  std::int64_t call_stride() const override { return bytes_; }
  std::int64_t call_bytes() const override { return bytes_; }
  std::int64_t default_calls() const override { return 40; }

 private:
  /// The rank's cells in arrays of `edges`, cell c beginning at place(cell, c). The cells have few
  /// different sizes, and those of one size share a layout.
  template <class Place>
  plan::PlacedLayout cells_in(const Edges& edges, int rank, const Place& place) const {
    std::map<Edges, plan::LayoutPtr> layouts;
    std::vector<plan::PlacedLayout> cells;
    for (std::int64_t c = 0; c < q_; ++c) {
      const Block block = cell(rank, c);
      const auto [known, is_new] = layouts.try_emplace(block.size);
      if (is_new)
        known->second = block_of_array(edges, {{0, 0, 0}, block.size}, btio_element).layout;
      cells.push_back({place(block, c), known->second});
    }
    return plan::sequence(cells);
  }

  /// Cells ascend in z, and so in the file.
  Block cell(std::int64_t rank, std::int64_t c) const {
    const std::array<std::int64_t, 3> place{(rank % q_ + c) % q_, (rank / q_ + q_ - c) % q_, c};
    Block block;
    for (std::size_t d = 0; d < place.size(); ++d) {
      const Slab part = slab(edges_[d], q_, place[d]);
      block.low.push_back(part.low);
      block.size.push_back(part.size);
    }
    return block;
  }

  Edges edges_;
  std::int64_t q_;
  std::int64_t bytes_;
};

std::int64_t root(int ranks) {
  return static_cast<std::int64_t>(std::sqrt(static_cast<double>(ranks)));
}

Made make_btio(Arguments& arguments, int ranks) {
  Edges edges = arguments.edges("edge", 3);
  if (!arguments.status().ok()) return arguments.status();
  const auto is_square = [](int count) { return root(count) * root(count) == count; };
  if (!is_square(ranks))
    return arguments.complaint(
        fmt::format("{} ranks are no square number: the nearest that is one is {}", ranks,
                    nearest_ranks(ranks, is_square)));
  return Made(std::make_unique<Btio>(std::move(edges), root(ranks)));
}

}  // namespace

Maker btio_maker() {
  return {{"btio", "NPB BT-IO: block-tridiagonal cells of a mesh, 40 dumps (TAM paper, V-B)",
           btio_parameters},
          make_btio};
}

}  // namespace headrace::workload
