#include "plan/block_compressor.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace headrace::plan {
namespace {

/// Between any two offsets: what wraps around does so back again.
std::int64_t distance(std::int64_t from, std::int64_t to) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) -
                                   static_cast<std::uint64_t>(from));
}

std::int64_t moved(std::int64_t offset, std::int64_t by) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) +
                                   static_cast<std::uint64_t>(by));
}

bool is_longer_than_lists_hold(std::int64_t length) {
  return static_cast<std::uint64_t>(length) >> 32U != 0;
}

/// The distances between the last offsets of a list, to be looked for before them. Many places are
/// looked at in one go, without a branch: each by itself took as long as all else for a block.
class Ending {
 public:
  static constexpr std::size_t places = 32;

  /// Of more than `distances` offsets; does not own them.
  explicit Ending(std::span<const std::int32_t> offsets) : offsets_(offsets) {
    for (std::size_t i = 0; i < distances; ++i) distances_[i] = distance_before(&offsets.back(), i);
  }

  /// Whether the offsets end so, too, without the last `slots` ones, or up to places - 1 more.
  /// Precondition: there are more than `distances` besides.
  bool may_recur(std::size_t slots) const {
    assert(slots + places + distances < offsets_.size());
    const std::int32_t* const last = &offsets_[offsets_.size() - slots - places];
    std::uint32_t any = 0;
    for (std::size_t place = 0; place < places; ++place) {
      std::uint32_t differs = 0;
      for (std::size_t i = 0; i < distances; ++i)
        differs |= distance_before(last + place, i) ^ distances_[i];
      any |= static_cast<std::uint32_t>(differs == 0);
    }
    return any != 0;
  }

 private:
  static constexpr std::size_t distances = 6;

  /// To `at` from the one before it, or `i` more; it may wrap around.
  static std::uint32_t distance_before(const std::int32_t* at, std::size_t i) {
    return static_cast<std::uint32_t>(*at) - static_cast<std::uint32_t>(*(at - 1 - i));
  }

  std::span<const std::int32_t> offsets_;
  std::array<std::uint32_t, distances> distances_;
};

/// Whether block `i` of the list goes on with what the blocks `slots` and twice as many before it
/// began. Precondition: there are these.
bool goes_on(const Blocks& list, std::size_t i, std::size_t slots) {
  return list.length_of(i) == list.length_of(i - slots) &&
         list.length_of(i) == list.length_of(i - 2 * slots) &&
         std::int64_t{list.offsets[i]} - list.offsets[i - slots] ==
             std::int64_t{list.offsets[i - slots]} - list.offsets[i - 2 * slots];
}

}  // namespace

/// Two of one length always are alike.
BlockCompressor::Tail BlockCompressor::Tail::with(const Block& block) const {
  const std::int64_t new_stride = distance(last.offset, block.offset);
  const bool has_length = block.length == last.length;
  const bool is_alike = has_length && (alike == 1 || new_stride == stride);
  return {block, is_alike ? alike + 1 : has_length ? 2 : 1, new_stride};
}

void BlockCompressor::add(std::span<const std::int64_t> offsets,
                          std::span<const std::int64_t> lengths) {
  std::size_t waiting = waiting_;
  std::int64_t end = end_;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (lengths[i] == 0) continue;
    if (waiting > 0 && offsets[i] == end) {
      waiting_blocks_[waiting - 1].length += lengths[i];
    } else {
      if (waiting == waiting_blocks_.size()) {
        waiting_ = waiting;
        put_waiting(waiting - 1);
        waiting = waiting_;
      }
      waiting_blocks_[waiting++] = {offsets[i], lengths[i]};
    }
    end = offsets[i] + lengths[i];
  }
  waiting_ = waiting;
  end_ = end;
}

/// The first `count` of those that wait.
void BlockCompressor::put_waiting(std::size_t count) {
  put(BlockSpan(waiting_blocks_).first(count));
  std::copy(waiting_blocks_.begin() + count, waiting_blocks_.begin() + waiting_,
            waiting_blocks_.begin());
  waiting_ -= count;
}

void BlockCompressor::put(BlockSpan blocks) {
  while (!blocks.empty()) {
    switch (open_) {
      case Open::list:
        blocks = go_on_with_list(blocks);
        if (list_.offsets.size() >= look_at_ || is_list_full()) look_for_interleaved();
        if (open_ != Open::list || blocks.empty()) break;
        if (is_list_full()) {
          flush_list();
          tail_ = {};
        }
        begin_anew(blocks.front());
        blocks = blocks.subspan(1);
        break;
      case Open::run:
        blocks = go_on_with_run(blocks);
        if (!blocks.empty()) put_run();
        break;
      case Open::interleaved:
        blocks = go_on_with_interleaved(blocks);
        if (!blocks.empty()) put_interleaved();
        break;
    }
  }
}

/// Into the list, until it is full, there are enough alike for a run, or one lies too far away.
/// Like the others of its kind, gives what is left.
BlockCompressor::BlockSpan BlockCompressor::go_on_with_list(BlockSpan blocks) {
  const std::size_t size = list_.offsets.size();
  if (size == 0) return blocks;
  const std::size_t most = std::min(blocks.size(), most_blocks - size);
  list_.offsets.resize(size + most);
  list_.starts.resize(size + 1 + most);
  std::int32_t* const offsets = list_.offsets.data() + size;
  std::uint32_t* const starts = list_.starts.data() + size;
  constexpr std::uint64_t range = std::uint64_t{1} << 32;
  std::size_t count = 0;
  Tail tail = tail_;
  for (; count < most; ++count) {
    const Block& block = blocks[count];
    const Tail with_it = tail.with(block);
    const std::int64_t offset = distance(origin_, block.offset);
    const bool is_near = static_cast<std::uint64_t>(offset) + range / 2 < range;
    const bool has_room = static_cast<std::uint64_t>(block.length) < range - starts[count];
    if (with_it.alike == shortest_run || !is_near || !has_room) break;
    tail = with_it;
    offsets[count] = static_cast<std::int32_t>(offset);
    starts[count + 1] = starts[count] + static_cast<std::uint32_t>(block.length);
  }
  tail_ = tail;
  shorten_list(size + count);
  return blocks.subspan(count);
}

BlockCompressor::BlockSpan BlockCompressor::go_on_with_run(BlockSpan blocks) {
  std::size_t count = 0;
  if (tail_.alike == 1) {
    if (blocks[0].length != tail_.last.length) return blocks;
    tail_ = tail_.with(blocks[0]);
    count = 1;
  }
  Block& last = tail_.last;
  const std::size_t first = count;
  for (Block next{moved(last.offset, tail_.stride), last.length};
       count < blocks.size() && blocks[count] == next; ++count) {
    last = next;
    next.offset = moved(next.offset, tail_.stride);
  }
  tail_.alike += static_cast<std::int64_t>(count - first);
  return blocks.subspan(count);
}

BlockCompressor::BlockSpan BlockCompressor::go_on_with_interleaved(BlockSpan blocks) {
  std::size_t count = 0;
  for (; count < blocks.size(); ++count) {
    Slot& slot = slots_[slot_];
    if (blocks[count].offset != slot.next || blocks[count].length != slot.first.length) break;
    slot.next = moved(slot.next, slot.stride);
    if (++slot_ < slots_.size()) continue;
    slot_ = 0;
    ++turns_;
  }
  return blocks.subspan(count);
}

/// The block begins a run with those that it is like, which are at the end of the list; or else a
/// list, if it is not too long for any.
void BlockCompressor::begin_anew(const Block& block) {
  tail_ = tail_.with(block);
  shorten_list(list_.offsets.size() - static_cast<std::size_t>(tail_.alike - 1));
  flush_list();
  if (tail_.alike > 1 || is_longer_than_lists_hold(block.length)) {
    open_ = Open::run;
    return;
  }
  origin_ = block.offset;
  // At once: lists that grow are copied, and memory that is not touched costs nothing.
  list_.offsets.reserve(std::min(left_, most_blocks));
  list_.starts.reserve(std::min(left_, most_blocks) + 1);
  list_.offsets.push_back(0);
  list_.starts.push_back(static_cast<std::uint32_t>(block.length));
}

/// At the end of the list, and as long as the list doubles in between.
void BlockCompressor::look_for_interleaved() {
  const std::size_t size = list_.offsets.size();
  look_at_ = 2 * size;
  for (std::size_t slots = 2; slots <= most_arrays; ++slots)
    if (is_interleaved(slots)) return begin_interleaved(slots);
  const Ending ending(list_.offsets);
  const std::size_t most = std::min(most_slots, size / 3);
  for (std::size_t slots = most_arrays + 1; slots <= most; slots += Ending::places) {
    if (!ending.may_recur(slots)) continue;
    for (std::size_t each = slots; each < std::min(slots + Ending::places, most + 1); ++each)
      if (is_interleaved(each)) return begin_interleaved(each);
  }
}

/// Whether the end of the list is.
bool BlockCompressor::is_interleaved(std::size_t slots) const {
  std::size_t i = list_.offsets.size();
  const std::size_t least = i - shortest_list_of(slots) + 2 * slots;
  while (i > least && goes_on(list_, i - 1, slots)) --i;
  return i == least;
}

/// Takes what is interleaved off the end of the list.
void BlockCompressor::begin_interleaved(std::size_t slots) {
  std::size_t first = list_.offsets.size() - shortest_list_of(slots);
  while (first > 0 && goes_on(list_, first - 1 + 2 * slots, slots)) --first;
  const std::size_t count = list_.offsets.size() - first;
  turns_ = static_cast<std::int64_t>(count / slots);
  slot_ = count % slots;
  slots_.clear();
  for (std::size_t i = first; i < first + slots; ++i) {
    const Block block{origin_ + list_.offsets[i], list_.length_of(i)};
    const std::int64_t stride = std::int64_t{list_.offsets[i + slots]} - list_.offsets[i];
    const std::int64_t had = turns_ + (i - first < slot_ ? 1 : 0);
    slots_.push_back({block, stride, moved(block.offset, had * stride)});
  }
  shorten_list(first);
  flush_list();
  tail_ = {};
  open_ = Open::interleaved;
}

void BlockCompressor::put_run() {
  PlacedLayout run = repeat(contiguous(tail_.last.length), tail_.alike, tail_.stride);
  run.offset += tail_.last.offset - (tail_.alike - 1) * tail_.stride;
  left_ -= static_cast<std::size_t>(tail_.alike);
  parts_.push_back(std::move(run));
  tail_ = {};
  open_ = Open::list;
}

/// The turns that all slots have had; what some had of one more goes to a list. Where there are too
/// many slots to go through them one by one, and all at one stride, each turn is a list.
void BlockCompressor::put_interleaved() {
  const std::int64_t begin = slots_.front().first.offset;
  Interleaved node{{{}, {0}}, {}, turns_};
  for (const Slot& slot : slots_) {
    node.turn.offsets.push_back(static_cast<std::int32_t>(slot.first.offset - begin));
    node.turn.starts.push_back(node.turn.starts.back() +
                               static_cast<std::uint32_t>(slot.first.length));
    node.strides.push_back(slot.stride);
  }
  left_ -= slots_.size() * static_cast<std::size_t>(turns_);
  const std::int64_t stride = node.strides.front();
  if (slots_.size() > most_arrays && std::ranges::count(node.strides, stride) == std::ssize(slots_))
    parts_.push_back(
        repeat({begin, std::make_shared<const Layout>(BlockList(node.turn))}, turns_, stride));
  else
    parts_.push_back({begin, std::make_shared<const Layout>(std::move(node))});
  std::vector<Block> others;
  for (std::size_t i = 0; i < slot_; ++i)
    others.push_back({moved(slots_[i].next, -slots_[i].stride), slots_[i].first.length});
  open_ = Open::list;
  put(others);
}

void BlockCompressor::shorten_list(std::size_t size) {
  list_.offsets.resize(size);
  list_.starts.resize(size + 1);
}

void BlockCompressor::flush_list() {
  look_at_ = shortest_interleaved;
  if (list_.offsets.empty()) return;
  LayoutPtr layout = list_.offsets.size() == 1 ? contiguous(list_.length_of(0)).layout
                                               : std::make_shared<const Layout>(BlockList(list_));
  parts_.push_back({origin_, std::move(layout)});
  left_ -= list_.offsets.size();
  shorten_list(0);
}

PlacedLayout BlockCompressor::finish() {
  put_waiting(waiting_);
  if (open_ == Open::run) put_run();
  if (open_ == Open::interleaved) put_interleaved();
  flush_list();
  return sequence(parts_);
}

}  // namespace headrace::plan
