#include "engine/local_aggregator.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace headrace::engine {

using report::Phase;

namespace {

/// The part of `cb_buffer_size` that reads ahead of two windows may take: enough to keep storage
/// targets busy, and little enough to stay in the cache from the network to the members.
constexpr std::int64_t ahead_fraction = 4;

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
    : exchange_(exchange),
      plan_(exchange.plan_.group),
      staging_(exchange.node_, exchange.options_.cb_buffer_size / ahead_fraction) {
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
  Exchange& ex = exchange_;
  co_await Until{[&ex] { return ex.order_.is_known(); }};
  if (ex.order_.is_scheduled()) ex.order_.sort(plan_.contributions);
  for (std::span<const Contribution> left = plan_.contributions; !left.empty();) {
    const auto members = first_window(left);
    left = left.subspan(members.size());
    Work work{members[0].number, members, ex.aggregator_rank(members[0].number), -1, {}, 0, 0, 0};
    // An aggregator of this node that knows what is asked for lets the members in by itself.
    if (ex.is_known_ && is_here(work)) continue;
    std::size_t known = 0;
    co_await Until{[&] { return ex.is_known_ || is_described(work, known); }};
    const Request request = ex.clock_.during(Phase::gather, [&] { return request_of(work); });
    lay_out(work, request);
    co_await Until{[&] { return take_slot(work); }};
    if (is_here(work)) {
      ex.clock_.during(Phase::gather, [&] { put_list(work, request); });
      ex.scheduler_.spawn(lend_list(work));
    } else {
      const MessageHeader header =
          ex.clock_.during(Phase::gather, [&] { return put_request(work, request); });
      ex.scheduler_.spawn(serve(work, header));
    }
  }
}

/// Two windows at a time; and in reads more, which wait for the storage, while all of them together
/// take no more memory than that part of `cb_buffer_size`.
bool LocalAggregator::take_slot(Work& work) {
  const bool may_be_ahead = !exchange_.is_write_ && work.bytes <= staging_.room();
  if (under_way_ >= slot_count && !may_be_ahead) return false;
  if (!staging_.has_place_for(work.bytes)) return false;
  const auto found = std::ranges::find(busy_, false);
  if (found == busy_.end()) return false;
  *found = true;
  ++under_way_;
  work.slot = static_cast<int>(found - busy_.begin());
  return true;
}

void LocalAggregator::give_back(const Work& work) {
  busy_[work.slot] = false;
  --under_way_;
  staging_.give_back(work.place);
}

/// After take_slot().
Status LocalAggregator::take_place(Work& work) {
  const Result<Staging::Place> place = staging_.take(work.bytes);
  if (place.ok()) work.place = *place;
  slot(work).area = work.place.area;
  slot(work).begin = work.place.begin;
  slot(work).bytes = work.place.bytes;
  return place.status();
}

/// Until the global aggregator of this node has read it.
Task LocalAggregator::lend_list(Work work) {
  co_await Until{[&] { return slot(work).gathered.load(std::memory_order_acquire) == 0; }};
  give_back(work);
}

/// `header`: of the request, which is in the slot's region; or which could not be put there, and is
/// nothing but this.
Task LocalAggregator::serve(Work work, MessageHeader header) {
  Exchange& ex = exchange_;
  const bool is_whole = header.failed == ErrorClass::ok;
  const std::span<std::byte> message =
      is_whole ? std::span(place_of(work), work.bytes).subspan(work.message_at)
               : std::as_writable_bytes(std::span(&header, 1));
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
    if (is_whole) {
      const transport::Operation received = ex.clock_.during(Phase::exchange, [&] {
        return ex.team_.messenger->expect(work.aggregator, reply_tag(work.slot), message);
      });
      co_await Until{[&] { return ex.finished(received); }};
      std::memcpy(&header, message.data(), sizeof header);
    }
    let_members_move(work, header);
    co_await Until{all_moved};
  }
  slot(work).placed.store(0, std::memory_order_relaxed);
  give_back(work);
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

LocalAggregator::Request LocalAggregator::request_of(const Work& work) {
  if (exchange_.is_known_) return {{{}, {}, 0, plan_.data_bytes.at(work.number)}, {}};
  Request request = gather_group(work);
  if (!is_here(work)) plan_.data_bytes.emplace(work.number, request.gathered.data_bytes);
  return request;
}

LocalAggregator::Request LocalAggregator::gather_group(const Work& work) {
  Exchange& ex = exchange_;
  const Ticket ticket = ticket_of(work.number);
  std::vector<plan::GatherSource> sources;
  std::vector<DescriptionSlot*> slots;
  Request request;
  for (const Contribution& member : work.members) {
    auto& descriptions = ex.board(member.local_rank).descriptions;
    const int index = slot_with(descriptions, &DescriptionSlot::holds, ticket);
    DescriptionSlot& described = descriptions[index];
    const std::byte* wire = ex.map(member.local_rank, region::description + index, described.bytes);
    const auto bytes = wire != nullptr ? static_cast<std::size_t>(described.bytes) : 0;
    const plan::Cuts cuts = wire != nullptr ? described.cuts : plan::Cuts{};
    sources.push_back({{wire, bytes}, cuts});
    slots.push_back(&described);
    request.cuts |= cuts;
  }
  request.gathered = ex.clock_.during(Phase::sort, [&] {
    return is_here(work) ? plan::gather_at_home(sources) : plan::gather(sources, true);
  });
  plan_.requests += request.gathered.requests;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i]->holds.store(0, std::memory_order_release);
    ex.node_.ring(work.members[i].local_rank);
  }
  return request;
}

/// How much of a region the window takes, and what lies where in it.
void LocalAggregator::lay_out(Work& work, const Request& request) const {
  const auto list_bytes = std::ssize(request.gathered.lists);
  work.bytes = list_bytes;
  if (is_here(work)) return;
  std::int64_t places_bytes = 0;
  if (!exchange_.is_known_) {
    places_bytes = static_cast<std::int64_t>(group_.size() * sizeof(PlacesEntry));
    for (const plan::RunEncoder& places : request.gathered.places)
      places_bytes += std::ssize(places.bytes());
  }
  constexpr std::int64_t alignment = alignof(MessageHeader);
  constexpr std::int64_t header_bytes = sizeof(MessageHeader);
  work.message_at = (places_bytes + alignment - 1) / alignment * alignment;
  // A reply carries no list.
  work.data_at = work.message_at + header_bytes + (exchange_.is_write_ ? list_bytes : 0);
  work.bytes = work.message_at + header_bytes + list_bytes + request.gathered.data_bytes;
}

/// For the global aggregator of this node.
void LocalAggregator::put_list(Work& work, const Request& request) {
  Exchange& ex = exchange_;
  const std::vector<std::byte>& list = request.gathered.lists;
  Status taken = take_place(work);
  slot(work).cuts = request.cuts;
  if (taken.ok()) std::ranges::copy(list, place_of(work));
  ex.status_.update(std::move(taken));
  slot(work).gathered.store(ticket_of(work.number), std::memory_order_release);
  ex.node_.ring(ex.local_rank_of(work.aggregator));
}

/// For a global aggregator of another node: the header, and the list if that does not know it, with
/// room for the data; in front of it the members' places, if they do not know these.
MessageHeader LocalAggregator::put_request(Work& work, const Request& request) {
  Exchange& ex = exchange_;
  const std::vector<std::byte>& list = request.gathered.lists;
  MessageHeader header{};
  header.number = work.number;
  header.readable_end = std::numeric_limits<std::int64_t>::max();
  header.reply_slot = work.slot;
  header.cuts = request.cuts;
  Status taken = take_place(work);
  header.failed = taken.error_class();
  ex.status_.update(std::move(taken));
  slot(work).data_at = work.data_at;
  if (header.failed != ErrorClass::ok) return header;

  header.list_bytes = std::ssize(list);
  header.data_bytes = ex.is_write_ ? request.gathered.data_bytes : 0;
  header.asked_bytes = ex.is_write_ ? 0 : request.gathered.data_bytes;
  if (!ex.is_known_)
    ex.clock_.during(Phase::placement, [&] { put_places(work, request.gathered.places); });
  ex.clock_.during(Phase::exchange, [&] {
    std::byte* message = place_of(work) + work.message_at;
    std::memcpy(message, &header, sizeof header);
    std::ranges::copy(list, message + sizeof header);
  });
  return header;
}

/// Tells the members where their data lies in the message.
void LocalAggregator::put_places(const Work& work, const std::vector<plan::RunEncoder>& places) {
  std::vector<PlacesEntry> entries(group_.size());
  std::byte* const begin = place_of(work);
  auto at = static_cast<std::int64_t>(entries.size() * sizeof(PlacesEntry));
  for (std::size_t i = 0; i < work.members.size(); ++i) {
    const auto wire = places[i].bytes();
    std::ranges::copy(wire, begin + at);
    entries[work.members[i].local_rank - group_[0]] = {at, std::ssize(wire)};
    at += std::ssize(wire);
  }
  std::memcpy(begin, entries.data(), entries.size() * sizeof(PlacesEntry));
}

transport::Operation LocalAggregator::send(const Work& work, std::span<const std::byte> message) {
  Exchange& ex = exchange_;
  const auto& header = *std::launder(reinterpret_cast<const MessageHeader*>(message.data()));
  const std::size_t bytes =
      sizeof header + static_cast<std::size_t>(header.list_bytes + header.data_bytes);
  ++ex.counters_[report::Counter::messages];
  ex.counters_[report::Counter::message_bytes] += static_cast<std::int64_t>(bytes);
  return ex.team_.messenger->send(work.aggregator, round_tag(ex.windows_.round_of(work.number)),
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
