// Patterns: the ordered byte ranges that one rank touches in one collective call, on the file side
// or on the memory side, and the cursor that walks them lazily.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/extent.hpp"
#include "plan/layout.hpp"

namespace headrace::plan {

/// `count` pieces of `length` bytes; piece i begins at offset + i*stride. count >= 1, length >= 1.
struct Run {
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::int64_t stride = 0;
  std::int64_t count = 1;

  std::int64_t bytes() const noexcept { return length * count; }
  /// The end of the last piece, for stride >= 0.
  std::int64_t end() const noexcept { return offset + (count - 1) * stride + length; }
  bool operator==(const Run&) const = default;

  /// Calls visit(offset, length) for each piece, in order.
  template <class Visit>
  void for_each_piece(Visit&& visit) const {
    for (std::int64_t i = 0; i < count; ++i) visit(offset + i * stride, length);
  }
};

/// The stream bytes [begin, end) of `layout`, every offset moved by `origin`.
/// A default-constructed pattern is empty. Value type; copying shares the layout.
class Pattern {
 public:
  Pattern() = default;
  /// Precondition: 0 <= begin <= end <= placed.layout->size().
  Pattern(const PlacedLayout& placed, std::int64_t begin, std::int64_t end);
  /// All bytes of the layout; empty if there is none.
  explicit Pattern(const PlacedLayout& placed)
      : Pattern(placed, 0, placed.layout ? placed.layout->size() : 0) {}

  const LayoutPtr& layout() const noexcept { return layout_; }
  std::int64_t origin() const noexcept { return origin_; }
  std::int64_t stream_begin() const noexcept { return begin_; }

  /// Bytes.
  std::int64_t size() const noexcept { return end_ - begin_; }
  bool empty() const noexcept { return size() == 0; }
  bool monotone() const noexcept { return empty() || layout_->monotone(); }
  bool is_contiguous() const noexcept;

  /// The smallest range that holds every byte; empty if the pattern is. Precondition: monotone().
  Extent span() const noexcept;
  /// The offset of byte `position` of this pattern, 0 <= position < size().
  std::int64_t offset_of(std::int64_t position) const;
  /// How many of its bytes lie below `offset`: the position of the first byte at or after it.
  /// Precondition: monotone().
  std::int64_t bytes_below(std::int64_t offset) const noexcept {
    return bytes_below(offset, nullptr);
  }
  /// The same; `near`: as Layout::bytes_below has it.
  std::int64_t bytes_below(std::int64_t offset, std::size_t* near) const noexcept;

 private:
  LayoutPtr layout_;
  std::int64_t origin_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
};

/// Whether each is the other, moved by the difference of their origins.
bool same_but_for_place(const Pattern& a, const Pattern& b);

/// Turns [begin, end) of interleaved elements, moved by `base`. Does not own them.
struct WholeTurns {
  const Interleaved& node;
  std::int64_t base;
  std::int64_t begin;
  std::int64_t end;

  std::int64_t bytes() const noexcept { return (end - begin) * node.turn_bytes(); }
  template <class Visit>
  void for_each_piece(Visit&& visit) const {
    for (std::int64_t turn = begin; turn < end; ++turn)
      for (std::size_t i = 0; i < node.strides.size(); ++i)
        visit(base + node.offset_of(turn, i), node.turn.length_of(i));
  }
};

/// Walks bytes [begin, end) of a pattern in stream order, as runs as long as the layout has them.
/// Neighbouring runs may touch (coalescing is the encoder's work). Holds a reference to the
/// pattern's layout; the pattern itself may go.
class RunCursor {
 public:
  RunCursor() = default;
  RunCursor(const Pattern& pattern, std::int64_t begin, std::int64_t end);
  explicit RunCursor(const Pattern& pattern) : RunCursor(pattern, 0, pattern.size()) {}

  /// The next run, in `run`; false at the end, and then `run` is untouched.
  bool next(Run& run) {
    if (left_ == 0) return false;
    if (!blocks_.at_end()) {
      run = part_of(base_ + blocks_.offset(), blocks_.length());
      blocks_.advance();
      skip_ = 0;
    } else if (!turns_.empty()) {
      turns_.take(run);
    } else {
      return next_of_leaf(run);
    }
    left_ -= run.length;
    return true;
  }

  /// Bytes that it has still to give.
  std::int64_t left() const noexcept { return left_; }
  /// Whether these are one block at most, or part of one. Precondition: none has been given.
  bool is_one_piece() const noexcept;

  /// Calls visit_piece(offset, length) or visit_run(run) for all that is left, which it takes.
  template <class VisitPiece, class VisitRun>
  void for_each(VisitPiece&& visit_piece, VisitRun&& visit_run) {
    for_each(visit_piece, visit_run,
             [&visit_piece](const WholeTurns& turns) { turns.for_each_piece(visit_piece); });
  }
  /// The same; visit_turns(turns) for what is interleaved.
  template <class VisitPiece, class VisitRun, class VisitTurns>
  void for_each(VisitPiece&& visit_piece, VisitRun&& visit_run, VisitTurns&& visit_turns) {
    for_each_block(visit_piece, visit_turns);
    for (Run run; next_of_leaf(run); for_each_block(visit_piece, visit_turns)) visit_run(run);
  }
  /// The same, piece by piece.
  template <class Visit>
  void for_each_piece(Visit&& visit) {
    for_each(visit, [&visit](const Run& run) { run.for_each_piece(visit); });
  }

 private:
  template <class Visit, class VisitTurns>
  void for_each_block(Visit&& visit, VisitTurns&& visit_turns) {
    if (!turns_.empty()) left_ -= turns_.for_each(visit, visit_turns);
    if (skip_ > 0) visit_part(visit);
    if (blocks_.at_end()) return;
    left_ -= blocks_.pass_whole(
        left_, [&](std::int64_t offset, std::int64_t length) { visit(base_ + offset, length); });
    visit_part(visit);
  }

  /// What is wanted of one block of the list.
  template <class Visit>
  void visit_part(Visit&& visit) {
    Run run;
    if (!blocks_.at_end() && next(run)) visit(run.offset, run.length);
  }

  /// Blocks of an interleaved leaf that are taken to be given whole.
  struct Turns {
    const Interleaved* node = nullptr;
    std::int64_t base = 0;
    std::int64_t turn = 0;
    std::size_t slot = 0;  // of the next block
    std::int64_t last_turn = 0;
    std::size_t last_slot = 0;  // of the one behind the last block

    bool empty() const { return turn == last_turn && slot == last_slot; }
    /// The next block. Precondition: not empty.
    void take(Run& run) {
      // Each field by itself: a whole run would be put together on the stack, and read from there
      // in other portions than it was written, for which processors wait.
      run.offset = base + node->offset_of(turn, slot);
      run.length = node->turn.length_of(slot);
      run.stride = 0;
      run.count = 1;
      if (++slot == node->strides.size()) {
        slot = 0;
        ++turn;
      }
    }
    /// Takes them all: those of turns that are not whole piece by piece. Gives their bytes.
    template <class Visit, class VisitTurns>
    std::int64_t for_each(Visit&& visit, VisitTurns&& visit_turns) {
      std::int64_t bytes = 0;
      for (Run run; slot != 0 && !empty(); bytes += run.length) {
        take(run);
        visit(run.offset, run.length);
      }
      if (turn < last_turn) {
        const WholeTurns whole{*node, base, turn, last_turn};
        turn = last_turn;
        bytes += whole.bytes();
        visit_turns(whole);
      }
      for (Run run; !empty(); bytes += run.length) {
        take(run);
        visit(run.offset, run.length);
      }
      return bytes;
    }
  };

  struct Frame {
    const Layout* layout;
    std::int64_t base;
    std::int64_t index;
  };
  /// The nodes from the root to the leaf. Many cursors live for one piece of a window, so that the
  /// path of most needs no memory of its own.
  class Path {
   public:
    bool empty() const noexcept { return depth_ == 0; }
    Frame& back() noexcept { return depth_ <= top_.size() ? top_[depth_ - 1] : below_.back(); }
    const Frame& back() const noexcept {
      return depth_ <= top_.size() ? top_[depth_ - 1] : below_.back();
    }
    void push(const Frame& frame) {
      if (depth_ < top_.size())
        top_[depth_] = frame;
      else
        below_.push_back(frame);
      ++depth_;
    }
    void pop() noexcept {
      if (depth_ > top_.size()) below_.pop_back();
      --depth_;
    }

   private:
    std::array<Frame, 4> top_{};
    std::vector<Frame> below_;
    std::size_t depth_ = 0;
  };
  void descend(const Layout* layout, std::int64_t base, std::int64_t skip);
  void ascend();
  void take_turns(const Interleaved& node);
  /// What is wanted of the block that is next.
  Run part_of(std::int64_t offset, std::int64_t length) const {
    return {offset + skip_, std::min(length - skip_, left_), 0, 1};
  }
  bool next_of_leaf(Run& run);

  LayoutPtr keep_alive_;
  Path path_;
  std::int64_t left_ = 0;      // bytes still to give
  std::int64_t skip_ = 0;      // bytes of the current block already passed
  bool leaf_is_done_ = false;  // but for blocks_ or turns_
  BlockList::Reader blocks_;   // of a leaf that is a list
  std::int64_t base_ = 0;      // of that leaf
  Turns turns_;                // of an interleaved one, that are taken to be given whole
};

}  // namespace headrace::plan
