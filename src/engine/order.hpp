// The order of service, where a schedule asks for another than that of the file
// (plan/schedule.hpp). Nobody knows a whole call. A rank knows its weights, which it publishes with
// the windows that it touches; a local aggregator sums those of its group and sends the sums with
// its announcements; a global aggregator sums the sums, sorts its windows (domain_order.hpp), and
// answers with their places, which take the place of the weights in what the ranks of a node have
// published. Sums of whole numbers are the same in any order, so that this is the order that
// plan::make_queues finds.
//
// It costs a message for each announcement, and no byte where windows are served as they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/schedule.hpp"
#include "engine/board.hpp"
#include "engine/kept_plan.hpp"
#include "engine/message.hpp"
#include "engine/task.hpp"
#include "plan/plan.hpp"

namespace headrace::engine {

class Exchange;

/// What a rank publishes of the windows that it touches, in its `touched` region.
struct Touched {
  /// Of each window in turn: what the rank adds to its score, later the window's place in the queue
  /// of its aggregator. Empty where windows are served as they lie in the file.
  std::span<std::int64_t> standings;
  std::span<std::byte> list;  ///< of the windows, ascending, in wire form
};
/// Ends the program if the memory of that rank cannot be mapped.
Touched touched_of(transport::NodeMemory& node, int local_rank);

/// What one rank knows of the order of service in an exchange.
class Order {
 public:
  /// The exchange outlives the object.
  explicit Order(Exchange& exchange);

  /// Whether there is a schedule that is yet to be found out.
  bool is_scheduled() const;
  /// What this rank adds to the scores of the windows it touches; empty without a schedule. For
  /// `best`, as for gw_mdf, until it has been searched for (best_order.hpp).
  std::vector<std::int64_t> own_weights() const;

  /// Waits for the places of the windows that this rank touches, and sorts these.
  Task learn();
  /// Whether the windows that this rank touches are in the order of service.
  bool is_known() const { return is_known_; }
  /// Puts contributions in the order of service, and leaves those to one window in theirs.
  /// Precondition: is_known().
  void sort(std::vector<Contribution>& contributions) const;

  /// Published by a rank of this node about one of its windows.
  std::int64_t& standing(const Contribution& contribution) const;

  /// Called once by each aggregator of this node that tells places, when it has.
  void places_told();

 private:
  std::int32_t tellers() const;

  Exchange& exchange_;
  bool is_known_;
};

/// A local aggregator's part.
class GroupOrder {
 public:
  /// `contributions`: of its group, sorted as they lie in the file. All outlive the object.
  GroupOrder(Exchange& exchange, std::span<const Contribution> contributions)
      : exchange_(exchange), contributions_(contributions) {}

  /// Takes the places of windows of other nodes' aggregators from as many answers as there were
  /// announcements.
  Task take(std::size_t answers);

 private:
  void take_places(const Message& answer);

  Exchange& exchange_;
  std::span<const Contribution> contributions_;
};

}  // namespace headrace::engine
