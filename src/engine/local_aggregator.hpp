// The intra-node layer (TAM paper, section IV-A): a local aggregator merges and coalesces the
// requests of its group, and speaks for it to the global aggregators. With a group of one it is
// two-phase I/O.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "engine/exchange.hpp"
#include "engine/message.hpp"
#include "plan/merge.hpp"

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
  /// A window under way.
  struct Work {
    plan::WindowNumber number;
    std::span<const Contribution> members;
    int slot;
  };

  using Messages = std::map<int, std::vector<std::byte>>;  // by rank
  Messages announcements() const;
  std::int64_t score(std::span<const Contribution> window) const;
  Task serve(Work work);
  std::span<std::byte> make_request(const Work& work);
  std::span<std::byte> make_first_request(const Work& work);
  bool is_described(const Work& work, std::size_t& known);
  plan::Merged merge_group(const Work& work, bool with_places);
  void publish_list(const Work& work, const plan::RunEncoder& requests);
  Status lay_out(const Work& work, std::int64_t list_bytes, std::int64_t data_bytes);
  Status lay_out_places(const Work& work, const plan::Merged& merged);
  std::span<std::byte> pack_request(const Work& work, std::span<const std::byte> list,
                                    std::int64_t data_bytes, ErrorClass failed);
  std::optional<transport::Arrival> probe_reply(const Work& work);
  transport::Operation send(const Work& work, std::span<const std::byte> message);
  void let_members_move(const Work& work, const MessageHeader& header);

  StagingSlot& slot(const Work& work) { return exchange_.board().staging[work.slot]; }
  std::byte* own_region(int region, std::int64_t bytes);

  Exchange& exchange_;
  GroupPlan& plan_;
  std::vector<int> group_;  // local ranks, ascending and consecutive
  std::optional<GroupOrder> group_order_;
  std::array<bool, slot_count> busy_{};
  // What was sent for a slot's window when its staging region could not be had.
  std::array<MessageHeader, slot_count> bare_{};
};

}  // namespace headrace::engine
