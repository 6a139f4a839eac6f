#include "plan/domain_placement.hpp"

#include <algorithm>
#include <set>

#include "base/round.hpp"

namespace headrace::plan {
namespace {

/// Of most machines; a smaller one would do no harm.
constexpr std::int64_t page = 4096;

/// Less for each aggregator is not worth the agreement.
constexpr int least_cells_each = 2;
constexpr std::int64_t least_bytes_each = 128 << 10;  // unless the hint insists

/// Finds the nodes of cells that follow one another, cell by cell: the least that can be lost up to
/// a cell, if that goes to a given node, follows from the cell before (dynamic programming). All
/// nodes lose a cell's bid but the one that has made it, so that only this one's losses are looked
/// at; and to begin a piece pays where it saves something at once, or not at all.
class LeastLoss {
 public:
  LeastLoss(int nodes, std::int64_t piece_bytes) : piece_bytes_(piece_bytes), losses_(nodes) {}

  void add(int bidder, std::int64_t bid) {
    const bool begins = losses_[bidder] + lost_by_all_ > least_ + piece_bytes_;
    const std::int64_t loss = begins ? least_ + piece_bytes_ : losses_[bidder] + lost_by_all_;
    steps_.push_back({bidder, begins ? best_ : bidder});
    lost_by_all_ += bid;
    losses_[bidder] = loss - lost_by_all_;
    least_ += bid;
    if (loss <= least_) {
      least_ = loss;
      best_ = bidder;
    }
  }

  /// The nodes of the cells that were added. Forgets them.
  void take(std::span<int> cells) {
    int node = best_;
    for (std::size_t cell = cells.size(); cell-- > 0;) {
      cells[cell] = node;
      if (steps_[cell].bidder == node) node = steps_[cell].before;
    }
    steps_.clear();
    std::ranges::fill(losses_, 0);
    lost_by_all_ = least_ = 0;
    best_ = 0;
  }

 private:
  struct Step {
    int bidder;
    int before;  ///< the node of the cell before, if this one goes to its bidder
  };

  std::int64_t piece_bytes_;
  std::vector<std::int64_t> losses_;  // by the node of the last cell, less what all have lost
  std::int64_t lost_by_all_ = 0;
  std::int64_t least_ = 0;
  int best_ = 0;  // the node with the least
  std::vector<Step> steps_;
};

}  // namespace

std::int64_t window_alignment(std::int64_t wanted, std::int64_t buffer_size) {
  const std::int64_t unit = wanted > 0 ? wanted : page;
  return buffer_size >= unit ? unit : 1;
}

std::optional<Cells> cells_of(Extent range, const Options& options, std::int64_t block_size,
                              int aggregators) {
  const std::int64_t block = std::max(block_size, page);
  const std::int64_t wanted = options.striping_unit > 0 ? options.striping_unit : block;
  const std::int64_t unit = window_alignment(wanted, options.cb_buffer_size);
  const std::int64_t origin = round_down(range.begin, unit);
  const std::int64_t length = range.end - origin;
  const std::int64_t size = round_up((length + most_cells - 1) / most_cells, unit);
  const std::int64_t count = (length + size - 1) / size;
  const bool insists = options.file_domains == FileDomains::local;
  const bool is_enough = count >= std::int64_t{least_cells_each} * aggregators &&
                         (insists || length >= least_bytes_each * aggregators);
  const std::int64_t buffer = options.cb_buffer_size;
  if (!is_enough || size > buffer || block > std::max(buffer, page)) return std::nullopt;
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

std::vector<int> cell_nodes(std::span<const std::int64_t> highest, int nodes,
                            std::int64_t piece_bytes) {
  std::vector<int> chosen(highest.size(), no_node);
  LeastLoss loss(nodes, piece_bytes);
  std::size_t first = 0;  // of the cells that are bid for one after the other
  for (std::size_t cell = 0; cell <= highest.size(); ++cell) {
    if (cell < highest.size() && Bid(highest[cell]).bytes() > 0) {
      const Bid bid(highest[cell]);
      loss.add(bid.node(static_cast<int>(cell), nodes), bid.bytes());
    } else {
      loss.take(std::span(chosen).subspan(first, cell - first));
      first = cell + 1;
    }
  }
  return chosen;
}

std::int64_t crossing_bytes(std::span<const std::int64_t> highest, std::span<const int> cell_nodes,
                            int nodes, std::int64_t bytes) {
  for (std::size_t cell = 0; cell < highest.size(); ++cell) {
    const Bid bid(highest[cell]);
    if (cell_nodes[cell] == bid.node(static_cast<int>(cell), nodes)) bytes -= bid.bytes();
  }
  return bytes;
}

std::int64_t crossing_bytes_of_even(std::int64_t bytes, int nodes) {
  return bytes - bytes / nodes;
}

std::vector<int> cell_owners(std::span<const int> cell_nodes, const Cells& cells,
                             const NodeMap& nodes, std::span<const int> global,
                             std::int64_t window_bytes) {
  std::vector<std::vector<int>> of_node(nodes.node_count());
  for (std::size_t index = 0; index < global.size(); ++index)
    of_node[nodes.node_of(global[index])].push_back(static_cast<int>(index));
  std::vector<std::int64_t> dealt(nodes.node_count());  // bytes
  std::vector<int> owners;
  owners.reserve(cell_nodes.size());
  for (int cell = 0; cell < cells.count; ++cell) {
    const int node = cell_nodes[cell];
    if (node == no_node) {
      owners.push_back(static_cast<int>(std::ssize(global) * cell / cells.count));
      continue;
    }
    const std::vector<int>& own = of_node[node];
    owners.push_back(own[dealt[node] / window_bytes % std::ssize(own)]);
    dealt[node] += cells.size;
  }
  return owners;
}

}  // namespace headrace::plan
