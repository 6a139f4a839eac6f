// Agreements: small reductions over all ranks of a file. Ranks of a node meet in shared memory;
// only one rank of each node, its leader, talks to the others, so that no rank ever spins in MPI.
#pragma once

#include <cstdint>
#include <span>

#include "engine/board.hpp"
#include "engine/collective_file.hpp"

namespace headrace::engine {

class Agreement {
 public:
  /// Both must outlive the object. Another may follow it on the same team once it is done.
  Agreement(Team& team, report::PhaseClock& clock);

  /// Element-wise maxima and sums over all ranks, in place; together at most agreement_words.
  /// Collective. Also a barrier: what any rank wrote to shared memory before is seen after.
  void reduce(std::span<std::int64_t> maxima, std::span<std::int64_t> sums);

  /// A barrier of this node only.
  void meet_node();

 private:
  Board& leader() { return board_of(*team_.node, 0); }
  bool is_leader() const { return team_.node->rank() == 0; }
  void arrive();
  void release();
  template <class Predicate>
  void wait(bool polls_network, Predicate ready);

  Team& team_;
  report::PhaseClock& clock_;
  std::uint64_t completed_;  // agreements of this team
};

}  // namespace headrace::engine
