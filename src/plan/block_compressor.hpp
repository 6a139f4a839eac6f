// From blocks one by one to a layout.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/layout.hpp"

namespace headrace::plan {

/// Gathers blocks into contiguous, strided, interleaved and recurring stretches, leaving the rest
/// as lists. What recurs (the blocks of one level of a variable, in the next one) is interleaved
/// with one stride for all.
class BlockCompressor {
 public:
  /// `most`: how many blocks will be added.
  explicit BlockCompressor(std::size_t most) : left_(most) {}

  /// The next in stream order: `lengths[i]` bytes at `offsets[i]`, of which there are as many. What
  /// is empty is left out.
  void add(std::span<const std::int64_t> offsets, std::span<const std::int64_t> lengths);

  /// All that was added. No add() after it.
  PlacedLayout finish();

 private:
  struct Block {
    std::int64_t offset;
    std::int64_t length;
    bool operator==(const Block&) const = default;
  };
  using BlockSpan = std::span<const Block>;

  /// The end of what was put: `alike` blocks of one length, at one stride.
  struct Tail {
    Block last{0, 0};  // no length before the first
    std::int64_t alike = 0;
    std::int64_t stride = 0;

    Tail with(const Block& block) const;
  };
  /// Of what is interleaved: the blocks of one array, from the first on.
  struct Slot {
    Block first;
    std::int64_t stride;
    std::int64_t next;  // where that one has to be
  };
  /// What the last block became a part of, and the next one may go on with.
  enum class Open { list, run, interleaved };

  /// Shorter runs cost less as blocks of a list than as a node.
  static constexpr std::int64_t shortest_run = 16;
  /// How many arrays are looked for in what may be interleaved ones, and in how long a list.
  static constexpr std::size_t most_arrays = 64;
  static constexpr std::size_t shortest_interleaved = 4 * most_arrays;
  /// How many blocks may be what recurs. A slot takes 32 bytes while it lasts.
  static constexpr std::size_t most_slots = std::size_t{1} << 16;
  /// A list: three turns of these, and room to find them in.
  static constexpr std::size_t most_blocks = 4 * most_slots;
  /// Three turns: what two of them say of each array is true of a third.
  static constexpr std::size_t shortest_list_of(std::size_t slots) {
    return std::max(shortest_interleaved, 3 * slots);
  }

  void put_waiting(std::size_t count);
  void put(BlockSpan blocks);
  BlockSpan go_on_with_list(BlockSpan blocks);
  BlockSpan go_on_with_run(BlockSpan blocks);
  BlockSpan go_on_with_interleaved(BlockSpan blocks);
  void begin_anew(const Block& block);
  void look_for_interleaved();
  bool is_interleaved(std::size_t slots) const;
  void begin_interleaved(std::size_t slots);
  void put_run();
  void put_interleaved();
  bool is_list_full() const { return list_.offsets.size() == most_blocks; }
  void shorten_list(std::size_t size);
  void flush_list();

  /// The last one may still grow. Many are put at a time, which takes less than each by itself.
  std::array<Block, 256> waiting_blocks_;
  std::size_t waiting_ = 0;
  std::int64_t end_ = 0;  // of the last one

  Open open_ = Open::list;
  Tail tail_;  // of the list, or all of a run
  Blocks list_{{}, {0}};
  std::int64_t origin_ = 0;                     // of the list: where its first block is
  std::size_t look_at_ = shortest_interleaved;  // how long the list is when it is looked through
  std::vector<Slot> slots_;                     // of what is interleaved
  std::size_t slot_ = 0;                        // the next one's
  std::int64_t turns_ = 0;                      // in which all slots have had their block
  std::vector<PlacedLayout> parts_;
  std::size_t left_;  // at most so many blocks are not yet in a part
};

}  // namespace headrace::plan
