// The control area of a node: one board per rank, by which the roles on a node hand work to each
// other. Each field has one writer at a time; the atomic that announces it is stored last, with
// release order, and read first, with acquire order. All boards are clean between calls.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <span>

#include "base/status.hpp"
#include "plan/plan.hpp"
#include "transport/node_memory.hpp"

namespace headrace::engine {

/// What an announcement is about: a window's number plus one; 0 is "nothing".
using Ticket = std::int64_t;
inline Ticket ticket_of(plan::WindowNumber number) {
  return number + 1;
}

/// Every role works on up to two windows at once, so that one fills while another drains.
constexpr int slot_count = plan::collective_buffers;
/// But a local aggregator may ask for more windows than that ahead of reading them.
constexpr int staging_count = 32;
/// In so many regions.
constexpr int staging_areas = 8;

/// Words that one agreement carries (agreement.hpp).
constexpr int agreement_words = 80;

/// A member's requests in one window, in its `description` region.
struct DescriptionSlot {
  std::atomic<Ticket> holds;  ///< set by the member, cleared by its local aggregator
  std::int64_t bytes;         ///< of wire form
  plan::Cuts cuts;
};

/// A local aggregator's work on one window. Its place in a `staging` region begins with the
/// gathered lists, for a global aggregator on this node; else with the members' places, and the
/// message comes behind them.
struct StagingSlot {
  std::atomic<Ticket> gathered;  ///< set: the lists are there; cleared by the global aggregator on
                                 ///< this node, when it has read them
  plan::Cuts cuts;               ///< of the group
  std::atomic<Ticket> placed;    ///< set: members may move their data
  std::int64_t begin;            ///< of the place
  std::int64_t bytes;            ///< of the place; 0: it could not be had
  std::int64_t data_at;          ///< where the packed data begins in it
  std::int64_t readable_end;     ///< reads: file offset up to which there is data
  std::int32_t area;             ///< whose region the place is in
  ErrorClass failed;             ///< not ok: why nothing can be moved
  std::int32_t movers;           ///< members that will move data
  std::atomic<std::int32_t> moved;
};

/// Where a member's places lie in the place of the window, which begins with one of these for each
/// rank of the group.
struct PlacesEntry {
  std::int64_t at;
  std::int64_t bytes;
};

/// A global aggregator's collective buffer, in its `buffer` region.
struct BufferSlot {
  std::atomic<Ticket> open;  ///< set: members on this node may move their data
  std::int64_t readable_end;
  ErrorClass failed;
  std::int32_t movers;
  std::atomic<std::int32_t> moved;
};

/// A rank's part of a small call (small_call.hpp): its list, at offsets from `origin`, then its
/// data, packed.
struct Parcel {
  std::int64_t origin;  ///< in the file
  std::int32_t list_bytes;
  std::int32_t data_bytes;  ///< 0: it has no part
  std::array<std::byte, plan::small_part> bytes;
};

struct alignas(64) Board {
  // Agreement; on the node leader's board, what concerns the whole node.
  std::array<std::int64_t, agreement_words> words;
  std::array<std::int64_t, agreement_words> agreed;  ///< leader: the outcome
  std::atomic<std::uint64_t> arrivals;  ///< leader: ranks that have arrived, over all agreements
  std::atomic<std::uint64_t> released;  ///< leader: agreements that are complete
  std::atomic<std::uint64_t> passed;    ///< points that this rank has passed, over all files
  std::atomic<std::int32_t> announced;  ///< leader: local aggregators whose announcements are out
  std::atomic<bool> all_announced;      ///< leader: so are those of all nodes
  std::atomic<std::int32_t> ordered;    ///< leader: aggregators that have told places (order.hpp)

  std::int64_t touched_bytes;  ///< of the list in the `touched` region
  std::int64_t standings;      ///< in front of it: one for each window in it, or none
  std::array<DescriptionSlot, slot_count> descriptions;
  std::array<StagingSlot, staging_count> staging;
  std::array<BufferSlot, slot_count> buffers;
  Parcel parcel;
};
static_assert(std::atomic<Ticket>::is_always_lock_free);
static_assert(sizeof(Board) <=
              transport::NodeMemory::control_bytes(1) - transport::NodeMemory::control_bytes(0));

/// The regions a rank may own (transport::NodeMemory), one per slot or area where it says so.
namespace region {
constexpr int touched = 0;
constexpr int description = 1;                     // per slot
constexpr int staging = description + slot_count;  // per area
constexpr int buffer = staging + staging_areas;    // per slot
static_assert(buffer + slot_count <= transport::NodeMemory::max_regions);
}  // namespace region

/// The boards of this node, by local rank.
inline Board& board_of(transport::NodeMemory& node, int local_rank) {
  return std::launder(reinterpret_cast<Board*>(node.control().data()))[local_rank];
}

/// Of this node, one for each cell of a call (placement.hpp); behind the boards. Zero between
/// calls.
inline std::span<std::int64_t> cell_values(transport::NodeMemory& node) {
  const auto behind = node.control().subspan(transport::NodeMemory::control_bytes(node.size()) -
                                             transport::NodeMemory::control_bytes(0));
  return {std::launder(reinterpret_cast<std::int64_t*>(behind.data())), plan::most_cells};
}
static_assert(plan::most_cells * sizeof(std::int64_t) <= transport::NodeMemory::control_bytes(0));

/// The slot that announces `ticket` by the atomic `member`, or -1.
template <class Slots, class Field>
int slot_with(const Slots& slots, Field field, Ticket ticket) {
  for (std::size_t slot = 0; slot < slots.size(); ++slot)
    if ((slots[slot].*field).load(std::memory_order_acquire) == ticket)
      return static_cast<int>(slot);
  return -1;
}

}  // namespace headrace::engine
