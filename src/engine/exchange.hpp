// One collective call on its way: what the roles of a rank share while they serve it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/board.hpp"
#include "engine/collective_file.hpp"
#include "engine/kept_plan.hpp"
#include "engine/task.hpp"
#include "plan/aggregators.hpp"
#include "plan/plan.hpp"
#include "plan/run_codec.hpp"
#include "report/measures.hpp"

namespace headrace::engine {

/// Which ranks have which role, in one service.
struct Roles {
  const plan::LocalAggregators& local;
  const std::vector<int>& global;  ///< ranks, in the order of their file domains
  int domain;                      ///< this rank's place among them; -1: it is none of them
  plan::ServiceOrder order;        ///< this node's
};

/// All references outlive the call.
class Exchange {
 public:
  /// `plan`: of its windows; if it is usable it serves the call, else it is found out.
  Exchange(Team& team, const Roles& roles, KeptPlan& plan, const Call& call, bool is_write,
           const Options& options, storage::Storage* storage, report::Measures& measures);

  /// Serves the call; collective. What went wrong on this rank is in status().
  void run();

  const Status& status() const { return status_; }
  /// Bytes of this rank's data that were moved; for reads, bytes that the file really has.
  std::int64_t bytes() const { return bytes_; }

 private:
  friend class Member;
  friend class LocalAggregator;
  friend class GlobalAggregator;

  int local_rank_of(int rank) const { return team_.nodes.local_rank(rank); }
  bool on_this_node(int rank) const {
    return team_.nodes.node_of(rank) == team_.nodes.node_of(team_.rank);
  }
  int local_aggregator_of_local(int local_rank) const;
  Board& board(int local_rank) { return board_of(node_, local_rank); }
  Board& board() { return board(node_.rank()); }
  int aggregator_rank(plan::WindowNumber number) const {
    return roles_.global[windows_.aggregator_of(number)];
  }
  bool network_failed() const { return team_.messenger && !team_.messenger->failure().ok(); }
  void publish_touched();
  void count_requests();
  /// Whether a message has gone or come.
  bool finished(transport::Operation operation);
  /// A region of a rank of this node; nullptr if `bytes` is 0, or if it cannot be mapped, which is
  /// then a failure in status_.
  std::byte* map(int local_rank, int region, std::int64_t bytes);

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
  Status status_;
  std::int64_t bytes_ = 0;
};

/// The contributions of some ranks of this node, in the order of service, then by rank; read from
/// what they published. `wanted`: whether a window is of interest.
template <class Wanted>
std::vector<Contribution> contributions(transport::NodeMemory& node,
                                        std::span<const int> local_ranks,
                                        const plan::ServiceOrder& order, Wanted wanted) {
  std::vector<Contribution> all;
  for (const int local_rank : local_ranks) {
    const auto bytes = static_cast<std::size_t>(board_of(node, local_rank).touched_bytes);
    if (bytes == 0) continue;
    const std::byte* wire = node.region(local_rank, region::touched, bytes);
    plan::RunDecoder decoder(std::span(wire, bytes));
    for (plan::Run run; decoder.next(run);)
      for (std::int64_t i = 0; i < run.count; ++i)
        for (std::int64_t n = 0; n < run.length; ++n)
          if (const plan::WindowNumber number = run.offset + i * run.stride + n; wanted(number))
            all.push_back({number, local_rank});
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
