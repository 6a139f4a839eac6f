// What the roles of a rank find out about the requests of one call. The next call of the same
// pattern, wherever in the file, is served by it: nothing is described, announced, listed or merged
// again, and messages carry data alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "plan/pattern.hpp"
#include "plan/plan.hpp"
#include "plan/run_codec.hpp"

namespace headrace::engine {

class PlanCache;

using Wire = std::vector<std::byte>;  // plan::RunEncoder's

/// A rank of this node has data in a window.
struct Contribution {
  plan::WindowNumber number;
  int local_rank;
  int index;  ///< the window's, among those that the rank touches
};

/// Of a rank and its own data.
struct MemberPlan {
  struct Window {
    std::vector<Extent> stream;  ///< plan::stream_in's
    /// Where these bytes lie, as ascending runs. If its aggregator is on another node: in the data
    /// of the rank's group. Else in its collective buffer; none where there was no room.
    Wire places;
  };

  std::vector<plan::WindowNumber> touched;  ///< in the order of service
  std::int64_t requests = 0;
  /// But for those that are one piece of the file and of an aggregator on this node.
  std::map<plan::WindowNumber, Window> windows;
};

/// Of a local aggregator.
struct GroupPlan {
  std::vector<Contribution> contributions;  ///< of its group, in the order of service
  std::int64_t requests = 0;                ///< gathered
  /// Of the group's data in windows of other nodes' aggregators.
  std::map<plan::WindowNumber, std::int64_t> data_bytes;
};

/// Of a global aggregator.
struct DomainPlan {
  struct Window {
    plan::RunEncoder requests;  ///< of all ranks
    plan::Cuts cuts;
    std::map<int, Wire> lists;  ///< plan::gather's, of other nodes' local aggregators, by rank
  };

  std::vector<Contribution> contributions;         ///< of this node, as they lie in the file
  std::map<plan::WindowNumber, int> remote_lists;  ///< how many of other nodes have data in it
  std::map<plan::WindowNumber, Window> windows;
  /// By a schedule: the windows that somebody touches, first served first, by their index in
  /// ascending order.
  std::vector<int> queue;
  std::int64_t requests = 0;  ///< merged, in all windows
};

class KeptPlan {
 public:
  /// The cache outlives the object.
  KeptPlan(PlanCache& cache, plan::Pattern file) : file_(std::move(file)), cache_(cache) {}

  MemberPlan member;
  GroupPlan group;
  DomainPlan domain;
  plan::Windows windows;  ///< of the last call

  /// This rank's part of the call.
  const plan::Pattern& file() const noexcept { return file_; }

  /// To be asked before `count` bytes are kept. False: there is no room, and what is kept will not
  /// do for another call.
  bool keep(std::int64_t count);
  /// The same, of what another call can do without: leaves half of all room to what it cannot.
  bool keep_spare(std::int64_t count);
  /// The call has ended. What was found out can be used again, if that is `all` and could be kept;
  /// or else it is forgotten.
  void finish(bool all);
  bool is_usable() const noexcept { return is_finished_; }

 private:
  friend class PlanCache;

  plan::Pattern file_;
  PlanCache& cache_;
  std::int64_t bytes_ = 0;
  bool is_finished_ = false;
  bool has_gaps_ = false;
};

}  // namespace headrace::engine
