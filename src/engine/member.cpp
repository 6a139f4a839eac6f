#include "engine/member.hpp"

#include <limits>

#include "engine/copy.hpp"
#include "plan/chained.hpp"
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
  const plan::RunEncoder requests = plan::encode_window(ex.call_.file, window);
  const plan::Cuts cuts = plan::cuts_of(ex.call_.file, window);
  ex.plan_.member.requests += requests.summary().requests - cuts.count();
  Status reserved = ex.node_.reserve(region::description + index, requests.bytes().size());
  slot.bytes = reserved.ok() ? std::ssize(requests.bytes()) : 0;
  slot.cuts = reserved.ok() ? cuts : plan::Cuts{};
  if (reserved.ok())
    std::ranges::copy(
        requests.bytes(),
        ex.node_.region(ex.node_.rank(), region::description + index, requests.bytes().size()));
  ex.own_data_.update(reserved);
  ex.status_.update(std::move(reserved));
  slot.holds.store(ticket_of(number), std::memory_order_release);
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
      ex.clock_.during(Phase::copy,
                       [&] { move_through_buffer(ex.windows_.at(number), owner, slot); });
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

std::vector<Member::Part> Member::parts_in(const plan::Window& window,
                                           std::int64_t readable_end) const {
  const plan::Pattern& file = exchange_.call_.file;
  const std::int64_t limit =
      exchange_.is_write_ ? std::numeric_limits<std::int64_t>::max() : readable_end;
  std::vector<Part> parts;
  for (const plan::Window::Piece& piece : window.pieces()) {
    const Extent stream{file.bytes_below(piece.file.begin),
                        file.bytes_below(std::min(piece.file.end, limit))};
    if (!stream.empty()) parts.push_back({stream, piece.offset - piece.file.begin});
  }
  return parts;
}

plan::RunCursor Member::memory_of(const Part& part) const {
  return {exchange_.call_.memory, part.stream.begin, part.stream.end};
}

template <class Place, class Own>
void Member::move_bytes(std::byte* shared, Place place, Own own) {
  if (exchange_.is_write_)
    copy_runs(shared, std::move(place), exchange_.call_.buffer, std::move(own));
  else
    copy_runs(exchange_.call_.buffer, std::move(own), shared, std::move(place));
}

void Member::count_moved(std::span<const Part> parts) {
  ++exchange_.counters_[report::Counter::node_pieces];
  for (const Part& part : parts) {
    exchange_.bytes_ += part.stream.length();
    exchange_.counters_[report::Counter::node_bytes] += part.stream.length();
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
void Member::move_through_buffer(const plan::Window& window, int aggregator, int index) {
  Exchange& ex = exchange_;
  BufferSlot& slot = ex.board(aggregator).buffers[index];
  const std::vector<Part> parts = parts_in(window, slot.readable_end);
  if (can_move(slot.failed) && !parts.empty()) {
    if (std::byte* buffer = ex.map(aggregator, region::buffer + index, window.length())) {
      for (const Part& part : parts)
        move_bytes(
            buffer,
            Moved(plan::RunCursor(ex.call_.file, part.stream.begin, part.stream.end), part.shift),
            memory_of(part));
      count_moved(parts);
    } else {
      ex.own_data_.update(ex.status_);
    }
  }
  finish_move(slot, aggregator);
}

/// Where this rank's data in the window lies among that of the group.
std::span<const std::byte> Member::places_in(plan::WindowNumber number, const std::byte* staging,
                                             int aggregator) {
  Exchange& ex = exchange_;
  auto& kept = ex.plan_.member.places;
  if (ex.is_known_) return kept.at(number);
  PlacesEntry entry;
  std::memcpy(&entry, staging + (ex.node_.rank() - aggregator) * sizeof entry, sizeof entry);
  const std::span<const std::byte> wire(staging + entry.at, entry.bytes);
  if (ex.plan_.keep(entry.bytes)) kept.emplace(number, Wire(wire.begin(), wire.end()));
  return wire;
}

/// The bytes are packed with those of the rest of the group; the aggregator says where.
void Member::move_through_staging(plan::WindowNumber number, int aggregator, int index) {
  Exchange& ex = exchange_;
  StagingSlot& slot = ex.board(aggregator).staging[index];
  const std::vector<Part> parts = parts_in(ex.windows_.at(number), slot.readable_end);
  if (can_move(slot.failed)) {
    if (std::byte* staging = ex.place_of(aggregator, slot)) {
      // Of a window of which the file has nothing, too: another call may find it longer.
      const std::span<const std::byte> places = places_in(number, staging, aggregator);
      if (!parts.empty() && !places.empty()) {
        std::vector<plan::RunCursor> own;
        own.reserve(parts.size());
        for (const Part& part : parts) own.push_back(memory_of(part));
        move_bytes(staging + slot.data_at, plan::RunDecoder(places), plan::Chained(std::move(own)));
        count_moved(parts);
      }
    } else {
      ex.own_data_.update(ex.status_);
    }
  }
  finish_move(slot, aggregator);
}

}  // namespace headrace::engine
