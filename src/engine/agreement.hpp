// Agreements: small reductions over all ranks of a file. Ranks of a node meet in shared memory;
// only one rank of each node, its leader, talks to the others, so that no rank ever spins in MPI.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "engine/board.hpp"
#include "engine/collective_file.hpp"

namespace headrace::engine {

class Agreement {
 public:
  /// Both must outlive the object. Another may follow it on the same team once it is done, with
  /// nothing begun.
  Agreement(Team& team, report::PhaseClock& clock);

  /// Element-wise maxima and sums over all ranks, in place; together at most agreement_words.
  /// Collective. Also a barrier: what any rank wrote to shared memory before is seen after.
  void reduce(std::span<std::int64_t> maxima, std::span<std::int64_t> sums) {
    reduce(maxima, sums, [] {});
  }
  /// The same; one rank of each node calls before_others() when it has all, and the others of it
  /// are told what that made of `maxima` and `sums`.
  template <class BeforeOthers>
  void reduce(std::span<std::int64_t> maxima, std::span<std::int64_t> sums,
              BeforeOthers before_others) {
    if (combine(maxima, sums)) {
      before_others();
      publish(maxima, sums);
    } else {
      take(maxima, sums);
    }
    ++completed_;
    has_sent_ = false;
    all_passed_.store(passed_, std::memory_order_relaxed);
  }

  /// Element-wise maxima over all ranks, in place, at most half of agreement_words; and `text` of
  /// rank 0, which replaces that of all others. Collective, and mostly no more than one reduce().
  void reduce_and_tell(std::span<std::int64_t> maxima, std::string& text);

  /// A point in the program that all ranks pass: what others do after it is to come after what this
  /// rank has done before. On one node nobody waits, until somebody must know; the next reduce()
  /// has all ranks pass, too. On several nodes it is one. Collective.
  void pass();
  /// Waits until all ranks have passed what this one has. Local: it asks nothing of others. Threads
  /// may do it at a time.
  void wait_for_passing();

  /// This rank may have sent messages to other nodes, other than by agreements.
  void has_sent() { has_sent_ = true; }

  /// A barrier of this node only.
  void meet_node();

  /// Element-wise maxima and sums over all nodes, in place, of any length. By node leaders alone.
  void reduce_nodes(std::span<std::int64_t> maxima, std::span<std::int64_t> sums);

  /// reduce() of one maximum in two halves. Collective.
  ///
  /// Of these begin() waits for nobody, but that where there are several nodes, their leaders stay
  /// until all ranks have begun: the others could not finish without them.
  void begin(std::int64_t maximum);
  bool has_begun() const { return has_begun_; }
  /// Waits until all ranks have begun, and gives the maximum. Local: it asks nothing of others. To
  /// be called before anything else here.
  std::int64_t finish();

 private:
  Board& leader() { return board_of(*team_.node, 0); }
  Board& own() { return board_of(*team_.node, team_.node->rank()); }
  bool is_leader() const { return team_.node->rank() == 0; }
  bool arrive();
  bool all_are_here();
  bool is_released() { return leader().released.load(std::memory_order_acquire) > completed_; }
  bool combine(std::span<std::int64_t> maxima, std::span<std::int64_t> sums);
  void take(std::span<std::int64_t> maxima, std::span<std::int64_t> sums);
  void combine_node(std::span<std::int64_t> maxima, std::span<std::int64_t> sums);
  void publish(std::span<const std::int64_t> maxima, std::span<const std::int64_t> sums);
  void release();
  template <class Predicate>
  void wait(Predicate ready);

  Team& team_;
  report::PhaseClock& clock_;
  std::uint64_t completed_;                // agreements of this team
  std::uint64_t passed_;                   // points, of the team
  std::atomic<std::uint64_t> all_passed_;  // of these, by all ranks, as far as is known
  bool has_begun_ = false;
  bool has_sent_ = false;  // since all ranks met last
};

}  // namespace headrace::engine
