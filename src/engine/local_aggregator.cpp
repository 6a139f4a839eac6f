#include "engine/local_aggregator.hpp"

#include <cstring>
#include <limits>

namespace headrace::engine {

using report::Phase;

namespace {

/// What a global aggregator is told: windows, and by a schedule the group's part of their scores.
struct Announced {
  std::vector<plan::WindowNumber> windows;
  std::vector<std::int64_t> scores;
};

std::vector<std::byte> announcement(const Announced& announced) {
  return packed_message(encoded_windows(announced.windows).bytes(),
                        std::as_bytes(std::span(announced.scores)));
}

}  // namespace

LocalAggregator::LocalAggregator(Exchange& exchange)
    : exchange_(exchange), plan_(exchange.plan_.group) {
  for (int local = exchange.node_.rank(); local < exchange.node_.size(); ++local) {
    if (exchange.local_aggregator_of_local(local) != exchange.node_.rank()) break;
    group_.push_back(local);
  }
  if (exchange.is_known_) return;
  plan_.contributions = exchange.clock_.during(Phase::my_requests, [&] {
    return contributions(exchange.node_, group_, exchange.roles_.order,
                         [](plan::WindowNumber) { return true; });
  });
  if (exchange.team_.messenger && exchange.order_.is_scheduled())
    group_order_.emplace(exchange, plan_.contributions);
}

std::byte* LocalAggregator::own_region(int region, std::int64_t bytes) {
  return exchange_.map(exchange_.node_.rank(), region, bytes);
}

std::int64_t LocalAggregator::score(std::span<const Contribution> window) const {
  std::int64_t score = 0;
  for (const Contribution& each : window) score += exchange_.order_.standing(each);
  return score;
}

/// To whom, and which windows.
LocalAggregator::Messages LocalAggregator::announcements() const {
  const Exchange& ex = exchange_;
  std::map<int, Announced> announced;
  for (std::span<const Contribution> left = plan_.contributions; !left.empty();
       left = left.subspan(first_window(left).size())) {
    const plan::WindowNumber number = left[0].number;
    const int rank = ex.aggregator_rank(number);
    if (ex.on_this_node(rank)) continue;
    announced[rank].windows.push_back(number);
    if (ex.order_.is_scheduled()) announced[rank].scores.push_back(score(first_window(left)));
  }
  Messages messages;
  for (const auto& [rank, content] : announced) messages.emplace(rank, announcement(content));
  return messages;
}

Task LocalAggregator::announce() {
  Exchange& ex = exchange_;
  const Messages messages =
      ex.clock_.during(Phase::my_requests, [this] { return announcements(); });
  std::vector<transport::Operation> sends;
  ex.clock_.during(Phase::exchange, [&] {
    for (const auto& [rank, message] : messages)
      sends.push_back(ex.team_.messenger->send(rank, announcement_tag, message));
  });
  if (group_order_) ex.scheduler_.spawn(group_order_->take(messages.size()));
  for (const transport::Operation send : sends)
    co_await Until{[&ex, send] { return ex.finished(send); }};
  ex.board(0).announced.fetch_add(1, std::memory_order_acq_rel);
  ex.node_.ring(0);
}

Task LocalAggregator::run() {
  co_await Until{[this] { return exchange_.order_.is_known(); }};
  if (exchange_.order_.is_scheduled()) exchange_.order_.sort(plan_.contributions);
  int next = 0;
  for (std::span<const Contribution> left = plan_.contributions; !left.empty();) {
    const auto members = first_window(left);
    left = left.subspan(members.size());
    // An aggregator of this node that knows what is asked for lets the members in by itself.
    const int aggregator = exchange_.aggregator_rank(members[0].number);
    if (exchange_.is_known_ && exchange_.on_this_node(aggregator)) continue;
    co_await Until{[this, next] { return !busy_[next]; }};
    busy_[next] = true;
    exchange_.scheduler_.spawn(serve({members[0].number, members, next}));
    next = (next + 1) % slot_count;
  }
}

Task LocalAggregator::serve(Work work) {
  Exchange& ex = exchange_;
  std::size_t known = 0;
  co_await Until{[&] { return ex.is_known_ || is_described(work, known); }};
  if (ex.on_this_node(ex.aggregator_rank(work.number))) {
    ex.clock_.during(Phase::gather, [&] { publish_list(work, merge_group(work, false).requests); });
    co_await Until{[&] { return slot(work).merged.load(std::memory_order_acquire) == 0; }};
    busy_[work.slot] = false;
    co_return;
  }

  const std::span<std::byte> message =
      ex.clock_.during(Phase::gather, [&] { return make_request(work); });
  MessageHeader header = *std::launder(reinterpret_cast<MessageHeader*>(message.data()));
  const auto all_moved = [&] {
    return slot(work).moved.load(std::memory_order_acquire) == slot(work).movers;
  };
  if (ex.is_write_) {
    let_members_move(work, header);
    co_await Until{all_moved};
  }
  const transport::Operation sent =
      ex.clock_.during(Phase::exchange, [&] { return send(work, message); });
  co_await Until{[&] { return ex.finished(sent); }};
  if (!ex.is_write_) {
    if (header.failed == ErrorClass::ok) {
      std::optional<transport::Arrival> arrival;
      co_await Until{[&] {
        arrival = probe_reply(work);
        return arrival.has_value() || ex.network_failed();
      }};
      if (arrival) {
        const auto received = ex.clock_.during(
            Phase::exchange, [&] { return ex.team_.messenger->receive(*arrival, message); });
        co_await Until{[&] { return ex.finished(received); }};
      }
      std::memcpy(&header, message.data(), sizeof header);
    }
    let_members_move(work, header);
    co_await Until{all_moved};
  }
  slot(work).placed.store(0, std::memory_order_relaxed);
  busy_[work.slot] = false;
}

/// The message for the global aggregator, without data as yet; its memory is the slot's. Without a
/// list, if that is known.
std::span<std::byte> LocalAggregator::make_request(const Work& work) {
  if (!exchange_.is_known_) return make_first_request(work);
  const std::int64_t data_bytes = plan_.data_bytes.at(work.number);
  const Status laid_out = lay_out(work, 0, data_bytes);
  exchange_.status_.update(laid_out);
  return pack_request(work, {}, data_bytes, laid_out.error_class());
}

std::span<std::byte> LocalAggregator::make_first_request(const Work& work) {
  Exchange& ex = exchange_;
  const plan::Merged merged = merge_group(work, true);
  const auto list = merged.requests.bytes();
  const std::int64_t data_bytes = merged.requests.data_bytes();
  plan_.data_bytes.emplace(work.number, data_bytes);
  const Status laid_out = ex.clock_.during(Phase::placement, [&] {
    Status status = lay_out(work, std::ssize(list), data_bytes);
    return status.ok() ? lay_out_places(work, merged) : status;
  });
  ex.status_.update(laid_out);
  return ex.clock_.during(Phase::exchange, [&] {
    return pack_request(work, list, data_bytes, laid_out.error_class());
  });
}

/// `known`: how many members were found to have described their requests; they are not looked at
/// again, since this is asked each time that anything happens.
bool LocalAggregator::is_described(const Work& work, std::size_t& known) {
  const auto described = [&](const Contribution& member) {
    return slot_with(exchange_.board(member.local_rank).descriptions, &DescriptionSlot::holds,
                     ticket_of(work.number)) >= 0;
  };
  while (known < work.members.size() && described(work.members[known])) ++known;
  return known == work.members.size();
}

plan::Merged LocalAggregator::merge_group(const Work& work, bool with_places) {
  Exchange& ex = exchange_;
  const Ticket ticket = ticket_of(work.number);
  std::vector<std::span<const std::byte>> wires;
  std::vector<DescriptionSlot*> slots;
  bool touches_before = false;
  for (const Contribution& member : work.members) {
    auto& descriptions = ex.board(member.local_rank).descriptions;
    const int index = slot_with(descriptions, &DescriptionSlot::holds, ticket);
    DescriptionSlot& described = descriptions[index];
    const std::byte* wire = ex.map(member.local_rank, region::description + index, described.bytes);
    wires.emplace_back(wire, wire != nullptr ? static_cast<std::size_t>(described.bytes) : 0);
    slots.push_back(&described);
    touches_before |= described.touches_before;
  }
  plan::Merged merged =
      ex.clock_.during(Phase::sort, [&] { return plan::merge(wires, with_places); });
  plan_.requests += plan::requests_begun(merged.requests, touches_before);
  slot(work).touches_before = touches_before;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i]->holds.store(0, std::memory_order_release);
    ex.node_.ring(work.members[i].local_rank);
  }
  return merged;
}

void LocalAggregator::publish_list(const Work& work, const plan::RunEncoder& requests) {
  Exchange& ex = exchange_;
  const auto list = requests.bytes();
  Status reserved = ex.node_.reserve(region::list + work.slot, list.size());
  slot(work).list_bytes = reserved.ok() ? static_cast<std::int64_t>(list.size()) : 0;
  if (reserved.ok())
    std::copy(list.begin(), list.end(),
              own_region(region::list + work.slot, slot(work).list_bytes));
  ex.status_.update(std::move(reserved));
  slot(work).merged.store(ticket_of(work.number), std::memory_order_release);
  ex.node_.ring(ex.local_rank_of(ex.aggregator_rank(work.number)));
}

/// Makes room for the message.
Status LocalAggregator::lay_out(const Work& work, std::int64_t list_bytes,
                                std::int64_t data_bytes) {
  StagingSlot& staging = slot(work);
  const std::int64_t head = static_cast<std::int64_t>(sizeof(MessageHeader)) + list_bytes;
  staging.staging_bytes = head + data_bytes;
  // A reply carries no list.
  staging.data_at = exchange_.is_write_ ? head : static_cast<std::int64_t>(sizeof(MessageHeader));
  return exchange_.node_.reserve(region::staging + work.slot,
                                 static_cast<std::size_t>(staging.staging_bytes));
}

/// Tells the members where their data lies in the message.
Status LocalAggregator::lay_out_places(const Work& work, const plan::Merged& merged) {
  std::vector<PlacesEntry> entries(group_.size());
  auto at = static_cast<std::int64_t>(entries.size() * sizeof(PlacesEntry));
  for (std::size_t i = 0; i < work.members.size(); ++i) {
    const auto bytes = static_cast<std::int64_t>(merged.places[i].bytes().size());
    entries[work.members[i].local_rank - group_[0]] = {at, bytes};
    at += bytes;
  }
  slot(work).places_bytes = at;
  const int region = region::places + work.slot;
  if (Status status = exchange_.node_.reserve(region, static_cast<std::size_t>(at)); !status.ok())
    return status;
  std::byte* places = own_region(region, at);
  std::memcpy(places, entries.data(), entries.size() * sizeof(PlacesEntry));
  for (std::size_t i = 0; i < work.members.size(); ++i) {
    const auto wire = merged.places[i].bytes();
    std::copy(wire.begin(), wire.end(),
              places + entries[work.members[i].local_rank - group_[0]].at);
  }
  return {};
}

/// The header and the list of requests, at the begin of the slot's message.
std::span<std::byte> LocalAggregator::pack_request(const Work& work,
                                                   std::span<const std::byte> list,
                                                   std::int64_t data_bytes, ErrorClass failed) {
  MessageHeader header{};
  header.number = work.number;
  header.readable_end = std::numeric_limits<std::int64_t>::max();
  header.failed = failed;
  header.reply_slot = work.slot;
  header.touches_before = slot(work).touches_before ? 1 : 0;
  if (failed != ErrorClass::ok) {
    bare_[work.slot] = header;
    return std::as_writable_bytes(std::span(&bare_[work.slot], 1));
  }
  header.list_bytes = static_cast<std::int64_t>(list.size());
  header.data_bytes = exchange_.is_write_ ? data_bytes : 0;
  const std::int64_t bytes = slot(work).staging_bytes;
  std::byte* message = own_region(region::staging + work.slot, bytes);
  std::memcpy(message, &header, sizeof header);
  std::copy(list.begin(), list.end(), message + sizeof header);
  return {message, static_cast<std::size_t>(bytes)};
}

std::optional<transport::Arrival> LocalAggregator::probe_reply(const Work& work) {
  return exchange_.clock_.poll(
      Phase::exchange, [&] { return exchange_.team_.messenger->probe(reply_tag(work.slot)); });
}

transport::Operation LocalAggregator::send(const Work& work, std::span<const std::byte> message) {
  Exchange& ex = exchange_;
  const auto& header = *std::launder(reinterpret_cast<const MessageHeader*>(message.data()));
  const std::size_t bytes =
      sizeof header + static_cast<std::size_t>(header.list_bytes + header.data_bytes);
  ++ex.counters_[report::Counter::messages];
  ex.counters_[report::Counter::message_bytes] += static_cast<std::int64_t>(bytes);
  return ex.team_.messenger->send(ex.aggregator_rank(work.number),
                                  round_tag(ex.windows_.round_of(work.number)),
                                  message.first(bytes));
}

void LocalAggregator::let_members_move(const Work& work, const MessageHeader& header) {
  StagingSlot& staging = slot(work);
  staging.readable_end = header.readable_end;
  staging.failed = header.failed;
  staging.movers = static_cast<std::int32_t>(work.members.size());
  staging.moved.store(0, std::memory_order_relaxed);
  staging.placed.store(ticket_of(work.number), std::memory_order_release);
  for (const Contribution& member : work.members) exchange_.node_.ring(member.local_rank);
}

}  // namespace headrace::engine
