#include "plan/domain_placement.hpp"

#include <algorithm>
#include <set>

#include "base/round.hpp"

namespace headrace::plan {
namespace {

/// Of most machines; a smaller one would do no harm.
constexpr std::int64_t page = 4096;

constexpr int cells_of_a_buffer = 256;
/// Fewer for each aggregator are not worth the agreement.
constexpr int least_cells_each = 2;

}  // namespace

std::int64_t window_alignment(std::int64_t wanted, std::int64_t buffer_size) {
  const std::int64_t unit = wanted > 0 ? wanted : page;
  return buffer_size >= unit ? unit : 1;
}

std::optional<Cells> cells_of(Extent range, const Options& options, int aggregators) {
  const std::int64_t unit = window_alignment(options.striping_unit, options.cb_buffer_size);
  const std::int64_t origin = round_down(range.begin, unit);
  const std::int64_t length = range.end - origin;
  const std::int64_t least =
      std::max(options.cb_buffer_size / cells_of_a_buffer, (length + most_cells - 1) / most_cells);
  const std::int64_t size = round_up(std::max<std::int64_t>(least, 1), unit);
  const std::int64_t count = (length + size - 1) / size;
  if (size > options.cb_buffer_size || count < std::int64_t{least_cells_each} * aggregators)
    return std::nullopt;
  return Cells{origin, size, static_cast<int>(count)};
}

Bid::Bid(int cell, std::int64_t bytes, int node, int nodes) noexcept
    : value_(bytes > 0 ? bytes << node_bits | (node + cell) % nodes : 0) {}

int Bid::node(int cell, int nodes) const noexcept {
  const auto mixed = static_cast<int>(value_ & ((std::int64_t{1} << node_bits) - 1));
  return (mixed + nodes - cell % nodes) % nodes;
}

int nodes_of(const NodeMap& nodes, std::span<const int> ranks) {
  std::set<int> found;
  for (const int rank : ranks) found.insert(nodes.node_of(rank));
  return static_cast<int>(found.size());
}

std::int64_t crossing_bytes(std::span<const std::int64_t> highest, std::int64_t bytes) {
  for (const std::int64_t value : highest) bytes -= Bid(value).bytes();
  return bytes;
}

std::int64_t crossing_bytes_of_even(std::int64_t bytes, int nodes) {
  return bytes - bytes / nodes;
}

std::vector<int> cell_owners(std::span<const std::int64_t> highest, const Cells& cells,
                             const NodeMap& nodes, std::span<const int> global,
                             std::int64_t window_bytes) {
  std::vector<std::vector<int>> of_node(nodes.node_count());
  for (std::size_t index = 0; index < global.size(); ++index)
    of_node[nodes.node_of(global[index])].push_back(static_cast<int>(index));
  std::vector<std::int64_t> dealt(nodes.node_count());  // bytes
  std::vector<int> owners;
  owners.reserve(highest.size());
  for (int cell = 0; cell < cells.count; ++cell) {
    const Bid bid(highest[cell]);
    if (bid.bytes() == 0) {
      owners.push_back(static_cast<int>(std::ssize(global) * cell / cells.count));
      continue;
    }
    const int node = bid.node(cell, nodes.node_count());
    const std::vector<int>& own = of_node[node];
    owners.push_back(own[dealt[node] / window_bytes % std::ssize(own)]);
    dealt[node] += cells.size;
  }
  return owners;
}

}  // namespace headrace::plan
