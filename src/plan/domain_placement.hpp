// File domains where the data is. On a file without stripes nothing says which aggregator must
// serve which bytes. Where one node has most of the data of each part of the file, as in
// checkpoints whose arrays are cut into blocks, the part is best served there: what a node has
// itself crosses no network.
//
// The range of a call is cut into cells. Each node bids for each cell the bytes that its ranks have
// in it. The highest bid gets the cell, unless that makes the pieces shorter than they are worth.
// Neighbouring cells of one aggregator make one piece of a window.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/extent.hpp"
#include "base/options.hpp"
#include "plan/node_map.hpp"
#include "plan/pattern.hpp"

namespace headrace::plan {

/// Of one size; the first begins at `origin`.
struct Cells {
  std::int64_t origin = 0;
  std::int64_t size = 1;
  int count = 0;
};
constexpr int most_cells = 8192;

/// What windows begin and end at: the `wanted` alignment, that of pages if nobody wants one (0), or
/// none (1) where a buffer is smaller.
std::int64_t window_alignment(std::int64_t wanted, std::int64_t buffer_size);

/// The cells of a call's range: as small as their number allows, and aligned as windows are and to
/// the file system's blocks of `block_size` bytes (0: not known). None if the range has too few of
/// them to be worth it, or needs cells larger than a buffer.
std::optional<Cells> cells_of(Extent range, const Options& options, std::int64_t block_size,
                              int aggregators);

/// add(cell, bytes) for each cell that a rank touches. O(cells touched * log).
template <class Add>
void for_each_cell(const Cells& cells, const Pattern& pattern, Add add) {
  std::size_t near = 0;
  for (std::int64_t position = 0; position < pattern.size();) {
    std::int64_t cell = (pattern.offset_of(position) - cells.origin) / cells.size;
    for (bool is_touched = true; is_touched && position < pattern.size(); ++cell) {
      const std::int64_t next = pattern.bytes_below(cells.origin + (cell + 1) * cells.size, &near);
      is_touched = next > position;
      if (is_touched) add(static_cast<int>(cell), next - position);
      position = next;
    }
  }
}

/// A node's bid for a cell, which is compared as a number: by the bytes; among equals another node
/// is first in each cell. Below 2^43 bytes and 2^20 nodes.
class Bid {
 public:
  Bid(int cell, std::int64_t bytes, int node, int nodes) noexcept;
  /// The highest one of a cell.
  explicit Bid(std::int64_t value) noexcept : value_(value) {}

  std::int64_t value() const noexcept { return value_; }
  std::int64_t bytes() const noexcept { return value_ >> node_bits; }
  int node(int cell, int nodes) const noexcept;

 private:
  static constexpr int node_bits = 20;
  std::int64_t value_;
};

/// How many nodes have one of these ranks.
int nodes_of(const NodeMap& nodes, std::span<const int> ranks);

/// The node of a cell for which nobody has bid.
constexpr int no_node = -1;

/// The node of each cell, so that the least is lost: the bids of cells that do not go to their
/// highest bidders, and `piece_bytes` wherever another node's cells begin. O(cells + nodes).
std::vector<int> cell_nodes(std::span<const std::int64_t> highest, int nodes,
                            std::int64_t piece_bytes);

/// Bytes that go from node to node in a call of `bytes`, over all ranks, at most: with these nodes
/// of the cells; and with even domains on so many nodes, of data that lies anyhow.
std::int64_t crossing_bytes(std::span<const std::int64_t> highest, std::span<const int> cell_nodes,
                            int nodes, std::int64_t bytes);
std::int64_t crossing_bytes_of_even(std::int64_t bytes, int nodes);

/// The aggregator of each cell, by its index in `global`. A node with several has its cells dealt
/// to them in stretches of about `window_bytes`. Cells without a bid, as their data is on nodes
/// without aggregators, are dealt to all.
std::vector<int> cell_owners(std::span<const int> cell_nodes, const Cells& cells,
                             const NodeMap& nodes, std::span<const int> global,
                             std::int64_t window_bytes);

}  // namespace headrace::plan
