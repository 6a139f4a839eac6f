// The order in which a global aggregator serves the windows of its file domain, by a schedule.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/order.hpp"

namespace headrace::engine {

class DomainOrder {
 public:
  /// `contributions`: of this node, to windows of this rank; their weights are summed at once. Both
  /// outlive the object.
  DomainOrder(Exchange& exchange, std::span<const Contribution> contributions);

  /// Adds the sums that a local aggregator of another node has announced.
  void add(Message announcement);

  /// Once all have been added: puts the windows in order, and tells this node. Gives those that
  /// somebody touches, first served first, by their index in ascending order.
  std::vector<int> decide();
  /// Answers the announcements, after decide().
  Task answer();

 private:
  std::int64_t place_of(plan::WindowNumber number) const { return standings_.at(number); }
  void put_places(Message& announcement) const;

  Exchange& exchange_;
  std::span<const Contribution> contributions_;
  std::map<plan::WindowNumber, std::int64_t> standings_;  // scores, then places
  std::vector<Message> announcements_;
};

}  // namespace headrace::engine
