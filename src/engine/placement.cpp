#include "engine/placement.hpp"

#include <algorithm>
#include <atomic>

#include "engine/board.hpp"

namespace headrace::engine {

std::vector<std::int64_t> Placement::highest_bids(const plan::Cells& cells,
                                                  const plan::Pattern& file, bool bids) {
  const auto shared = cell_values(*team_.node).first(cells.count);
  if (bids)
    plan::for_each_cell(cells, file, [&](int cell, std::int64_t bytes) {
      std::atomic_ref(shared[cell]).fetch_add(bytes, std::memory_order_relaxed);
    });
  agreement_.meet_node();
  if (team_.node->rank() == 0) {
    const int nodes = team_.nodes.node_count();
    const int node = team_.nodes.node_of(team_.rank);
    for (int cell = 0; cell < cells.count; ++cell)
      shared[cell] = plan::Bid(cell, shared[cell], node, nodes).value();
    agreement_.reduce_nodes(shared, {});
  }
  agreement_.meet_node();
  return {shared.begin(), shared.end()};
}

void Placement::clean_up() {
  if (team_.node->rank() == 0) std::ranges::fill(cell_values(*team_.node), 0);
}

}  // namespace headrace::engine
