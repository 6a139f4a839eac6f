// headrace_schedule=best, for which somebody must know who touches what: rank 0 searches for all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/message.hpp"
#include "report/phases.hpp"
#include "transport/team.hpp"

namespace headrace::engine {

/// What rank 0 keeps of a call is bounded by this number, at some 30 bytes each.
constexpr std::int64_t most_accesses_searched = 1 << 19;

/// Replaces the weights that all ranks have published (order.hpp) by such as sum up to the order of
/// plan::best_queues: of each window, the first rank that touches it has them all.
class BestOrder {
 public:
  /// References outlive the object.
  BestOrder(transport::Team& team, int aggregators, report::PhaseClock& clock)
      : team_(team), aggregators_(aggregators), clock_(clock) {}

  /// Collective over the first ranks of all nodes, once the ranks of theirs have published, and
  /// before these look. After a failure of the network, which the messenger tells, nothing is
  /// replaced.
  void find();

 private:
  using Numbers = std::vector<std::int64_t>;
  using ByRank = std::vector<Numbers>;

  void search();
  void ask();
  Numbers touched_by_node() const;
  bool gather(ByRank& touched);
  void add_node(ByRank& touched, int node, std::span<const std::int64_t> numbers) const;
  Numbers of_node(const ByRank& weights, int node) const;
  void replace(std::span<const std::int64_t> weights) const;

  /// False after a failure of the network.
  bool receive(Inbox& inbox, Message& message);
  void send(int rank, std::span<const std::int64_t> numbers);

  transport::Team& team_;
  int aggregators_;
  report::PhaseClock& clock_;
};

}  // namespace headrace::engine
