#include "engine/member.hpp"

#include <limits>

#include "engine/copy.hpp"
#include "plan/run_codec.hpp"

namespace headrace::engine {

using report::Phase;

Task Member::describe() {
  Exchange& ex = exchange_;
  const int aggregator = ex.local_aggregator_of_local(ex.node_.rank());
  co_await Until{[&ex] { return ex.order_.is_known(); }};
  const auto& touched = ex.plan_.member.touched;
  for (std::size_t n = 0; n < touched.size(); ++n) {
    const int index = static_cast<int>(n % slot_count);
    DescriptionSlot& slot = ex.board().descriptions[index];
    co_await Until{[&slot] { return slot.holds.load(std::memory_order_acquire) == 0; }};
    ex.clock_.during(Phase::gather, [&] { describe_window(touched[n], index); });
    ex.node_.ring(aggregator);
  }
}

void Member::describe_window(plan::WindowNumber number, int index) {
  Exchange& ex = exchange_;
  DescriptionSlot& slot = ex.board().descriptions[index];
  const plan::Window window = ex.windows_.at(number);
  plan::WindowPart own = plan::part_in(ex.call_.file, window);
  const std::span<const std::byte> list = own.requests.bytes();
  const plan::Cuts cuts = plan::cuts_of(ex.call_.file, window);
  ex.plan_.member.requests += own.requests.summary().requests - cuts.count();
  Status reserved = ex.node_.reserve(region::description + index, list.size());
  slot.bytes = reserved.ok() ? std::ssize(list) : 0;
  slot.cuts = reserved.ok() ? cuts : plan::Cuts{};
  if (reserved.ok())
    std::ranges::copy(list,
                      ex.node_.region(ex.node_.rank(), region::description + index, list.size()));
  ex.own_data_.update(reserved);
  ex.status_.update(std::move(reserved));
  slot.holds.store(ticket_of(number), std::memory_order_release);
  keep_own(number, window.pieces().size() > 1, std::move(own));
}

/// Not what this rank's pattern tells as soon. Where a window is of several pieces, these are many
/// and short, and the pattern would have to be searched for each of them in every call.
void Member::keep_own(plan::WindowNumber number, bool has_pieces, plan::WindowPart own) {
  Exchange& ex = exchange_;
  const bool is_here = ex.on_this_node(ex.aggregator_rank(number));
  if (is_here && !has_pieces) return;
  const std::int64_t bytes = std::int64_t{sizeof(MemberPlan::Window)} +
                             std::ssize(own.stream) * std::int64_t{sizeof(Extent)};
  if (!ex.plan_.keep(bytes)) return;
  MemberPlan::Window& kept = ex.plan_.member.windows[number];
  kept.stream = std::move(own.stream);
  const std::span<const std::byte> list = own.requests.bytes();
  if (is_here && ex.plan_.keep_spare(std::ssize(list)))
    kept.places.assign(list.begin(), list.end());
}

Task Member::move() {
  Exchange& ex = exchange_;
  co_await Until{[&ex] { return ex.order_.is_known(); }};
  for (const plan::WindowNumber number : ex.plan_.member.touched) {
    const Ticket ticket = ticket_of(number);
    const int global = ex.aggregator_rank(number);
    int slot = -1;
    if (ex.on_this_node(global)) {
      const int owner = ex.local_rank_of(global);
      co_await Until{[&] {
        slot = slot_with(ex.board(owner).buffers, &BufferSlot::open, ticket);
        return slot >= 0;
      }};
      ex.clock_.during(Phase::copy, [&] { move_through_buffer(number, owner, slot); });
    } else {
      const int owner = ex.local_aggregator_of_local(ex.node_.rank());
      co_await Until{[&] {
        slot = slot_with(ex.board(owner).staging, &StagingSlot::placed, ticket);
        return slot >= 0;
      }};
      ex.clock_.during(Phase::copy, [&] { move_through_staging(number, owner, slot); });
    }
  }
}

/// What of this rank's pattern lies in the window, and can be moved.
std::span<const Extent> Member::stream_in(plan::WindowNumber number, const plan::Window& window,
                                          std::int64_t readable_end) {
  const auto& kept = exchange_.plan_.member.windows;
  const std::int64_t limit =
      exchange_.is_write_ ? std::numeric_limits<std::int64_t>::max() : readable_end;
  const bool is_whole = limit >= window.pieces().back().file.end;
  if (const auto own = kept.find(number); own != kept.end() && is_whole) return own->second.stream;
  stream_ = plan::stream_in(exchange_.call_.file, window, limit);
  return stream_;
}

template <class Place>
void Member::move_bytes(std::byte* shared, Place place, std::span<const Extent> stream) {
  PatternParts own(exchange_.call_.memory, stream);
  if (exchange_.is_write_)
    copy_runs(shared, std::move(place), exchange_.call_.buffer, std::move(own));
  else
    copy_runs(exchange_.call_.buffer, std::move(own), shared, std::move(place));
  ++exchange_.counters_[report::Counter::node_pieces];
  for (const Extent& part : stream) {
    exchange_.bytes_ += part.length();
    exchange_.counters_[report::Counter::node_bytes] += part.length();
  }
}

/// What an aggregator could not take or give is lost to this rank, which returns before others
/// tell.
bool Member::can_move(ErrorClass failed) {
  if (failed == ErrorClass::ok) return true;
  exchange_.own_data_.update({failed, "an aggregator could not move this rank's data"});
  return false;
}

/// The last member to have moved its data wakes the owner of the slot.
template <class Slot>
void Member::finish_move(Slot& slot, int owner) {
  const std::int32_t movers = slot.movers;
  if (slot.moved.fetch_add(1, std::memory_order_acq_rel) + 1 == movers) exchange_.node_.ring(owner);
}

/// The bytes have window offsets in the collective buffer.
void Member::move_through_buffer(plan::WindowNumber number, int aggregator, int index) {
  Exchange& ex = exchange_;
  BufferSlot& slot = ex.board(aggregator).buffers[index];
  const plan::Window window = ex.windows_.at(number);
  const std::span<const Extent> stream = stream_in(number, window, slot.readable_end);
  if (can_move(slot.failed) && !stream.empty()) {
    if (std::byte* buffer = ex.map(aggregator, region::buffer + index, window.length()))
      move_in_buffer(number, window, buffer, stream);
    else
      ex.own_data_.update(ex.status_);
  }
  finish_move(slot, aggregator);
}

void Member::move_in_buffer(plan::WindowNumber number, const plan::Window& window,
                            std::byte* buffer, std::span<const Extent> stream) {
  Exchange& ex = exchange_;
  const std::span<const plan::Window::Piece> pieces = window.pieces();
  if (pieces.size() == 1) {
    const plan::RunCursor file(ex.call_.file, stream[0].begin, stream[0].end);
    return move_bytes(buffer, Moved(file, -pieces[0].file.begin), stream);
  }
  const auto own = ex.plan_.member.windows.find(number);
  if (own != ex.plan_.member.windows.end() && !own->second.places.empty())
    return move_bytes(buffer, plan::RunDecoder(own->second.places), stream);
  const plan::RunEncoder places = plan::encode_window(ex.call_.file, window);
  move_bytes(buffer, plan::RunDecoder(places.bytes()), stream);
}

/// Where this rank's data in the window lies among that of the group.
std::span<const std::byte> Member::places_in(plan::WindowNumber number, const std::byte* staging,
                                             int aggregator) {
  Exchange& ex = exchange_;
  auto& kept = ex.plan_.member.windows;
  if (ex.is_known_) return kept.at(number).places;
  PlacesEntry entry;
  std::memcpy(&entry, staging + (ex.node_.rank() - aggregator) * sizeof entry, sizeof entry);
  const std::span<const std::byte> wire(staging + entry.at, entry.bytes);
  if (ex.plan_.keep(entry.bytes)) kept[number].places.assign(wire.begin(), wire.end());
  return wire;
}

/// The bytes are packed with those of the rest of the group; the aggregator says where.
void Member::move_through_staging(plan::WindowNumber number, int aggregator, int index) {
  Exchange& ex = exchange_;
  StagingSlot& slot = ex.board(aggregator).staging[index];
  const std::span<const Extent> stream =
      stream_in(number, ex.windows_.at(number), slot.readable_end);
  if (can_move(slot.failed)) {
    if (std::byte* staging = ex.place_of(aggregator, slot)) {
      // Of a window of which the file has nothing, too: another call may find it longer.
      const std::span<const std::byte> places = places_in(number, staging, aggregator);
      if (!stream.empty() && !places.empty())
        move_bytes(staging + slot.data_at, plan::RunDecoder(places), stream);
    } else {
      ex.own_data_.update(ex.status_);
    }
  }
  finish_move(slot, aggregator);
}

}  // namespace headrace::engine
