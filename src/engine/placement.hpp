// How the ranks of a call find out where its file domains are best placed
// (plan/domain_placement.hpp): every rank adds up its bytes in the cells of its node, in shared
// memory; the node leaders reduce their nodes' bids to the highest ones. No rank sees more than a
// number a cell.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/agreement.hpp"
#include "plan/domain_placement.hpp"
#include "plan/pattern.hpp"
#include "transport/team.hpp"

namespace headrace::engine {

class Placement {
 public:
  /// Both outlive the object.
  Placement(Team& team, Agreement& agreement) : team_(team), agreement_(agreement) {}

  /// Of each cell the highest bid (plan::Bid) for `file`, of all nodes that have a global
  /// aggregator (`bids`: this one has). Collective. To be followed by clean_up().
  std::vector<std::int64_t> highest_bids(const plan::Cells& cells, const plan::Pattern& file,
                                         bool bids);
  /// By all ranks of a node, which have met since, and will meet before the next bids.
  void clean_up();

 private:
  Team& team_;
  Agreement& agreement_;
};

}  // namespace headrace::engine
