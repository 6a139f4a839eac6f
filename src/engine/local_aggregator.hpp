// The intra-node layer (TAM paper, section IV-A): a local aggregator gathers the
// requests of its group, coalesced where they do, and speaks for it to the global aggregators. With
// a group of one it is two-phase I/O.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "engine/exchange.hpp"
#include "engine/message.hpp"
#include "engine/staging.hpp"
#include "plan/gather.hpp"

namespace headrace::engine {

class LocalAggregator {
 public:
  /// Reads what the group has published.
  explicit LocalAggregator(Exchange& exchange);

  /// Tells global aggregators of other nodes of which windows they will hear from this rank.
  Task announce();
  /// Serves every window that the group touches.
  Task run();

 private:
  /// What the group asks for in one window.
  struct Request {
    plan::Gathered gathered;  ///< without lists and places where they are known
    plan::Cuts cuts;
  };
  /// A window under way, and how its place is divided.
  struct Work {
    plan::WindowNumber number;
    std::span<const Contribution> members;
    int aggregator;  ///< rank
    int slot;        ///< -1: none as yet
    Staging::Place place;
    std::int64_t message_at;  ///< behind the members' places
    std::int64_t data_at;     ///< in the message, with its header and, to write, the list before it
    std::int64_t bytes;
  };

  using Messages = std::map<int, std::vector<std::byte>>;  // by rank
  Messages announcements() const;
  std::int64_t score(std::span<const Contribution> window) const;
  bool is_described(const Work& work, std::size_t& known);
  Request request_of(const Work& work);
  Request gather_group(const Work& work);
  void lay_out(Work& work, const Request& request) const;
  bool take_slot(Work& work);
  void give_back(const Work& work);
  Task lend_list(Work work);
  Task serve(Work work, MessageHeader header);
  Status take_place(Work& work);
  void put_list(Work& work, const Request& request);
  MessageHeader put_request(Work& work, const Request& request);
  void put_places(const Work& work, const std::vector<plan::RunEncoder>& places);
  transport::Operation send(const Work& work, std::span<const std::byte> message);
  void let_members_move(const Work& work, const MessageHeader& header);

  StagingSlot& slot(const Work& work) { return exchange_.board().staging[work.slot]; }
  bool is_here(const Work& work) const { return exchange_.on_this_node(work.aggregator); }
  std::byte* place_of(const Work& work) {
    return exchange_.place_of(exchange_.node_.rank(), slot(work));
  }

  Exchange& exchange_;
  GroupPlan& plan_;
  std::vector<int> group_;  // local ranks, ascending and consecutive
  std::optional<GroupOrder> group_order_;
  std::array<bool, staging_count> busy_{};
  int under_way_ = 0;  // windows that have a slot
  Staging staging_;
};

}  // namespace headrace::engine
