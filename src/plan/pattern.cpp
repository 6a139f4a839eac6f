#include "plan/pattern.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace headrace::plan {
namespace {

/// The length of the blocks of a repeat that is a leaf of the walk, else 0.
std::int64_t block_length(const Repeat& node) {
  const auto* block = std::get_if<Contiguous>(&node.child->node());
  return block ? block->length : 0;
}

/// The length of a block of a leaf of the walk.
std::int64_t block_length(const Layout& leaf, std::int64_t index) {
  if (const auto* repeat = std::get_if<Repeat>(&leaf.node())) return block_length(*repeat);
  if (const auto* interleaved = std::get_if<Interleaved>(&leaf.node()))
    return interleaved->turn.length_of(index % std::ssize(interleaved->strides));
  return leaf.size();
}

/// The entry of an ascending list of stream positions (starting with 0) that holds `position`.
template <class Position>
std::int64_t entry_at(const std::vector<Position>& starts, std::int64_t position) {
  return std::upper_bound(starts.begin(), starts.end(), position) - starts.begin() - 1;
}

}  // namespace

Pattern::Pattern(const PlacedLayout& placed, std::int64_t begin, std::int64_t end)
    : layout_(begin < end ? placed.layout : nullptr), origin_(placed.offset) {
  if (!layout_) return;
  assert(begin >= 0 && end <= layout_->size());
  begin_ = begin;
  end_ = end;
}

bool Pattern::is_contiguous() const noexcept {
  return RunCursor(*this).is_one_piece();
}

Extent Pattern::span() const noexcept {
  if (empty()) return {};
  return {offset_of(0), offset_of(size() - 1) + 1};
}

std::int64_t Pattern::offset_of(std::int64_t position) const {
  RunCursor cursor(*this, position, position + 1);
  Run run;
  cursor.next(run);
  return run.offset;
}

std::int64_t Pattern::bytes_below(std::int64_t offset, std::size_t* near) const noexcept {
  if (empty()) return 0;
  return std::clamp<std::int64_t>(layout_->bytes_below(offset - origin_, near) - begin_, 0, size());
}

bool same_but_for_place(const Pattern& a, const Pattern& b) {
  return a.size() == b.size() && a.stream_begin() == b.stream_begin() &&
         same(a.layout(), b.layout());
}

RunCursor::RunCursor(const Pattern& pattern, std::int64_t begin, std::int64_t end)
    : keep_alive_(pattern.layout()), left_(end - begin) {
  assert(begin >= 0 && begin <= end && end <= pattern.size());
  if (left_ == 0) return;
  descend(keep_alive_.get(), pattern.origin(), pattern.stream_begin() + begin);
}

/// Goes down to the leaf that holds stream byte `skip` of `layout`, whose zero lies at `base`.
void RunCursor::descend(const Layout* layout, std::int64_t base, std::int64_t skip) {
  for (;;) {
    if (const auto* repeat = std::get_if<Repeat>(&layout->node())) {
      const std::int64_t index = skip / repeat->child->size();
      path_.push({layout, base, index});
      skip -= index * repeat->child->size();
      if (block_length(*repeat) != 0) break;
      base += index * repeat->stride;
      layout = repeat->child.get();
    } else if (const auto* sequence = std::get_if<Sequence>(&layout->node())) {
      const std::int64_t index = entry_at(sequence->starts, skip);
      path_.push({layout, base, index});
      skip -= sequence->starts[index];
      base += sequence->offsets[index];
      layout = sequence->children[index].get();
    } else if (const auto* blocks = std::get_if<BlockList>(&layout->node())) {
      path_.push({layout, base, 0});
      blocks_ = blocks->from(skip);
      base_ = base;
      skip -= blocks_.start();
      leaf_is_done_ = true;
      break;
    } else if (const auto* interleaved = std::get_if<Interleaved>(&layout->node())) {
      const std::int64_t turn = skip / interleaved->turn_bytes();
      skip -= turn * interleaved->turn_bytes();
      const std::int64_t slot = entry_at(interleaved->turn.starts, skip);
      path_.push({layout, base, turn * std::ssize(interleaved->strides) + slot});
      skip -= interleaved->turn.starts[slot];
      break;
    } else {
      path_.push({layout, base, 0});
      break;
    }
  }
  skip_ = skip;
}

/// Leaves a finished leaf for the next one.
void RunCursor::ascend() {
  path_.pop();
  while (!path_.empty()) {
    Frame& frame = path_.back();
    ++frame.index;
    if (const auto* repeat = std::get_if<Repeat>(&frame.layout->node())) {
      if (frame.index < repeat->count)
        return descend(repeat->child.get(), frame.base + frame.index * repeat->stride, 0);
    } else {
      const auto& sequence = std::get<Sequence>(frame.layout->node());
      if (frame.index < static_cast<std::int64_t>(sequence.children.size()))
        return descend(sequence.children[frame.index].get(),
                       frame.base + sequence.offsets[frame.index], 0);
    }
    path_.pop();
  }
}

/// As many blocks of the leaf as are wanted to their ends.
void RunCursor::take_turns(const Interleaved& node) {
  Frame& leaf = path_.back();
  const std::int64_t slots = std::ssize(node.strides);
  turns_ = {&node, leaf.base, leaf.index / slots, static_cast<std::size_t>(leaf.index % slots),
            0,     0};
  const std::int64_t end = turns_.turn * node.turn_bytes() + node.turn.starts[turns_.slot] + left_;
  turns_.last_turn = std::min(end / node.turn_bytes(), node.count);
  if (turns_.last_turn < node.count)
    turns_.last_slot =
        static_cast<std::size_t>(entry_at(node.turn.starts, end % node.turn_bytes()));
  leaf.index = turns_.last_turn * slots + static_cast<std::int64_t>(turns_.last_slot);
  leaf_is_done_ = leaf.index == node.block_count();
}

bool RunCursor::is_one_piece() const noexcept {
  if (left_ == 0) return true;
  if (!blocks_.at_end()) return skip_ + left_ <= blocks_.length();
  assert(!leaf_is_done_ && turns_.empty());
  return skip_ + left_ <= block_length(*path_.back().layout, path_.back().index);
}

bool RunCursor::next_of_leaf(Run& run) {
  if (left_ == 0) return false;
  if (std::exchange(leaf_is_done_, false)) ascend();
  if (!blocks_.at_end()) return next(run);
  Frame& leaf = path_.back();
  if (const auto* repeat = std::get_if<Repeat>(&leaf.layout->node())) {
    const std::int64_t length = block_length(*repeat);
    run.offset = leaf.base + leaf.index * repeat->stride + skip_;
    if (skip_ > 0 || left_ < length) {
      run.length = std::min(length - skip_, left_);
      run.stride = 0;
      run.count = 1;
    } else {
      run.length = length;
      run.stride = repeat->stride;
      run.count = std::min(repeat->count - leaf.index, left_ / length);
    }
    leaf.index += run.count;
    leaf_is_done_ = leaf.index == repeat->count;
  } else if (const auto* interleaved = std::get_if<Interleaved>(&leaf.layout->node())) {
    const std::int64_t slots = std::ssize(interleaved->strides);
    const auto slot = static_cast<std::size_t>(leaf.index % slots);
    const std::int64_t length = interleaved->turn.length_of(slot);
    if (skip_ == 0 && left_ >= length) {
      take_turns(*interleaved);
      return next(run);
    }
    run = part_of(leaf.base + interleaved->offset_of(leaf.index / slots, slot), length);
    ++leaf.index;
    leaf_is_done_ = leaf.index == interleaved->block_count();
  } else {
    run = part_of(leaf.base, std::get<Contiguous>(leaf.layout->node()).length);
    leaf_is_done_ = true;
  }
  skip_ = 0;
  left_ -= run.bytes();
  return true;
}

}  // namespace headrace::plan
