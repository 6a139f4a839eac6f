// One collective call on its way: what the roles of a rank share while they serve it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/board.hpp"
#include "engine/collective_file.hpp"
#include "engine/kept_plan.hpp"
#include "engine/order.hpp"
#include "engine/task.hpp"
#include "engine/window_list.hpp"
#include "plan/aggregators.hpp"
#include "plan/plan.hpp"
#include "report/measures.hpp"

namespace headrace::engine {

/// Which ranks have which role, in one service.
struct Roles {
  const plan::LocalAggregators& local;
  const std::vector<int>& global;  ///< ranks, in the order of their file domains
  int domain;                      ///< this rank's place among them; -1: it is none of them
  plan::ServiceOrder order;        ///< this node's
};

/// What came of a call on one rank.
struct Served {
  Status status;    ///< of all its roles
  Status own_data;  ///< of its own data alone
  /// Of its own data that were moved; for reads, bytes that the file really has.
  std::int64_t bytes = 0;
};

/// All references outlive the call.
class Exchange {
 public:
  /// `plan`: of its windows; if it is usable it serves the call, else it is found out.
  Exchange(Team& team, const Roles& roles, KeptPlan& plan, const Call& call, bool is_write,
           const Options& options, storage::Storage* storage, report::Measures& measures);

  /// Serves the call; collective. Returns when this rank's roles are done.
  Served run();

  /// Whether this rank has anything to do with other nodes. One that only moves its own data, or
  /// serves its own node alone, looks at no network, and leaves its core to others. Before run().
  bool talks_to_nodes() const;
  /// Of this rank. Before run().
  std::int64_t windows_touched() const { return std::ssize(plan_.member.touched); }

 private:
  friend class Member;
  friend class LocalAggregator;
  friend class GlobalAggregator;
  friend class Order;
  friend class GroupOrder;
  friend class DomainOrder;

  int local_rank_of(int rank) const { return team_.nodes.local_rank(rank); }
  bool on_this_node(int rank) const {
    return team_.nodes.node_of(rank) == team_.nodes.node_of(team_.rank);
  }
  int local_aggregator_of_local(int local_rank) const;
  std::int32_t local_aggregators_here() const;
  Board& board(int local_rank) { return board_of(node_, local_rank); }
  Board& board() { return board(node_.rank()); }
  int aggregator_rank(plan::WindowNumber number) const {
    return roles_.global[windows_.aggregator_of(number)];
  }
  bool network_failed() const { return team_.messenger && !team_.messenger->failure().ok(); }
  void publish_touched();
  void count_requests();
  /// Whether a message has gone or come.
  bool finished(transport::Operation operation) const {
    return team_.messenger->finished(operation);
  }
  /// A region of a rank of this node; nullptr if `bytes` is 0, or if it cannot be mapped, which is
  /// then a failure in status_.
  std::byte* map(int local_rank, int region, std::int64_t bytes);
  /// The place of a window in the memory of its local aggregator; nullptr as above.
  std::byte* place_of(int local_aggregator, const StagingSlot& slot);

  Team& team_;
  transport::NodeMemory& node_;
  Roles roles_;
  KeptPlan& plan_;
  const bool is_known_;  // the plan, beforehand
  const plan::Windows& windows_;
  const Call& call_;
  bool is_write_;
  const Options& options_;
  storage::Storage* storage_;
  report::Counters& counters_;
  report::PhaseClock& clock_;
  Scheduler scheduler_;
  Order order_;
  Status status_;
  Status own_data_;
  std::int64_t bytes_ = 0;
};

/// The contributions of some ranks of this node, as they lie in the file, then by rank; read from
/// what they published. `wanted`: whether a window is of interest.
template <class Wanted>
std::vector<Contribution> contributions(transport::NodeMemory& node,
                                        std::span<const int> local_ranks,
                                        const plan::ServiceOrder& order, Wanted wanted) {
  std::vector<Contribution> all;
  for (const int local_rank : local_ranks) {
    int index = 0;
    for_each_window(touched_of(node, local_rank).list, [&](plan::WindowNumber number) {
      if (wanted(number)) all.push_back({number, local_rank, index});
      ++index;
    });
  }
  // Ranks were looked at in their order.
  std::stable_sort(all.begin(), all.end(), [&order](const Contribution& a, const Contribution& b) {
    return order(a.number, b.number);
  });
  return all;
}

/// The first contributions of `all`: those to one window.
inline std::span<const Contribution> first_window(std::span<const Contribution> all) {
  std::size_t count = 0;
  while (count < all.size() && all[count].number == all[0].number) ++count;
  return all.first(count);
}

}  // namespace headrace::engine
