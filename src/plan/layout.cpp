#include "plan/layout.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "plan/block_compressor.hpp"

namespace headrace::plan {
namespace {

Extent moved(Extent extent, std::int64_t by) {
  return {extent.begin + by, extent.end + by};
}

Extent hull(Extent a, Extent b) {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

struct Summary {
  std::int64_t size;
  Extent span;
  std::int64_t block_count;  // never more than size: no block is empty
  bool monotone;
};

Summary summarize(const Contiguous& node) {
  return {node.length, {0, node.length}, 1, true};
}

Summary summarize(const Repeat& node) {
  const Extent first = node.child->span();
  const Extent last = moved(first, (node.count - 1) * node.stride);
  return {node.child->size() * node.count, hull(first, last),
          node.child->block_count() * node.count,
          node.child->monotone() && node.stride >= first.length()};
}

template <class List>
Summary summarize_list(const List& list) {
  Summary summary{0, {0, 0}, 0, true};
  list.for_each([&summary](std::int64_t offset, std::int64_t length) {
    summary.monotone &= offset >= summary.span.end;
    summary.span = hull(summary.span, {offset, offset + length});
    summary.size += length;
    ++summary.block_count;
  });
  return summary;
}

Summary summarize(const BlockList& node) {
  return summarize_list(node);
}

/// What holds between two blocks in the first turns and in the last ones does in all.
Summary summarize(const Interleaved& node) {
  const std::size_t slots = node.strides.size();
  const Summary first = summarize_list(node.turn);
  const auto end_of = [&](std::int64_t turn, std::size_t slot) {
    return node.offset_of(turn, slot) + node.turn.length_of(slot);
  };
  Summary summary{node.count * node.turn_bytes(), first.span, node.block_count(), first.monotone};
  const std::int64_t last = node.count - 1;
  for (std::size_t i = 0; i < slots; ++i) {
    summary.span = hull(summary.span, {node.offset_of(last, i), end_of(last, i)});
    summary.monotone &= i == 0 || node.offset_of(last, i) >= end_of(last, i - 1);
  }
  if (node.count > 1)
    summary.monotone &= node.offset_of(1, 0) >= end_of(0, slots - 1) &&
                        node.offset_of(last, 0) >= end_of(last - 1, slots - 1);
  return summary;
}

Summary summarize(const Sequence& node) {
  Summary summary{node.starts.back(), moved(node.children[0]->span(), node.offsets[0]), 0, true};
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    summary.block_count += node.children[i]->block_count();
    const Extent child = moved(node.children[i]->span(), node.offsets[i]);
    summary.monotone = summary.monotone && node.children[i]->monotone() &&
                       (i == 0 || child.begin >= summary.span.end);
    summary.span = hull(summary.span, child);
  }
  return summary;
}

/// `near`: as Layout::bytes_below has it.
std::int64_t bytes_below_in(const Contiguous& node, std::int64_t offset, std::size_t* /*near*/) {
  return std::clamp<std::int64_t>(offset, 0, node.length);
}

std::int64_t bytes_below_in(const Repeat& node, std::int64_t offset, std::size_t* near) {
  const std::int64_t first = node.child->span().begin;
  if (offset <= first) return 0;
  const std::int64_t index = std::min((offset - first) / node.stride, node.count - 1);
  return index * node.child->size() + node.child->bytes_below(offset - index * node.stride, near);
}

std::int64_t bytes_below_in(const BlockList& node, std::int64_t offset, std::size_t* near) {
  return node.bytes_below(offset, near);
}

std::int64_t bytes_below_in(const Interleaved& node, std::int64_t offset, std::size_t* /*near*/) {
  if (offset <= 0) return 0;
  // Turns ascend, and so does each of their slots.
  const std::int64_t turn =
      node.count == 1 ? 0 : std::min((offset - 1) / node.strides[0], node.count - 1);
  std::size_t low = 1;  // blocks of the turn below the offset
  std::size_t high = node.strides.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (node.offset_of(turn, middle) < offset)
      low = middle + 1;
    else
      high = middle;
  }
  const std::int64_t into = offset - node.offset_of(turn, low - 1);
  return turn * node.turn_bytes() + node.turn.starts[low - 1] +
         std::min(into, node.turn.length_of(low - 1));
}

std::int64_t bytes_below_in(const Sequence& node, std::int64_t offset, std::size_t* near) {
  // Children ascend, but offsets[i] is where child i's zero lies, not its first byte.
  std::size_t low = 0;
  std::size_t high = node.children.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (node.offsets[middle] + node.children[middle]->span().begin < offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return 0;
  return node.starts[low - 1] +
         node.children[low - 1]->bytes_below(offset - node.offsets[low - 1], near);
}

PlacedLayout placed(std::int64_t offset, Layout::Node node) {
  return {offset, std::make_shared<const Layout>(std::move(node))};
}

/// Moves a list to begin at 0, so that it is written down in the same way wherever it lies. Gives
/// where it was.
std::int64_t move_to_zero(std::span<std::int64_t> offsets) {
  const std::int64_t origin = offsets.front();
  for (std::int64_t& offset : offsets) offset -= origin;
  return origin;
}

}  // namespace

Layout::Layout(Node node) : node_(std::move(node)) {
  const Summary summary = std::visit([](const auto& n) { return summarize(n); }, node_);
  size_ = summary.size;
  span_ = summary.span;
  block_count_ = summary.block_count;
  monotone_ = summary.monotone;
}

namespace {

bool same_node(const Contiguous& a, const Contiguous& b) {
  return a.length == b.length;
}
bool same_node(const Repeat& a, const Repeat& b) {
  return a.count == b.count && a.stride == b.stride && same(a.child, b.child);
}
bool same_node(const BlockList& a, const BlockList& b) {
  return a == b;
}
bool same_node(const Interleaved& a, const Interleaved& b) {
  return a.count == b.count && a.strides == b.strides && a.turn == b.turn;
}
bool same_node(const Sequence& a, const Sequence& b) {
  return a.offsets == b.offsets && a.starts == b.starts &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    same);
}
template <class A, class B>
bool same_node(const A&, const B&) {
  return false;
}

}  // namespace

bool same(const LayoutPtr& a, const LayoutPtr& b) {
  if (a == b) return true;
  if (!a || !b || a->size() != b->size() || a->span() != b->span() ||
      a->block_count() != b->block_count())
    return false;
  return std::visit([](const auto& x, const auto& y) { return same_node(x, y); }, a->node(),
                    b->node());
}

std::int64_t Layout::bytes_below(std::int64_t offset, std::size_t* near) const noexcept {
  assert(monotone_);
  return std::visit([&](const auto& node) { return bytes_below_in(node, offset, near); }, node_);
}

PlacedLayout contiguous(std::int64_t length) {
  if (length <= 0) return {};
  return placed(0, Contiguous{length});
}

PlacedLayout repeat(const PlacedLayout& child, std::int64_t count, std::int64_t stride) {
  if (!child.layout || count <= 0) return {};
  if (count == 1) return child;
  if (const auto* block = std::get_if<Contiguous>(&child.layout->node());
      block && block->length == stride)
    return placed(child.offset, Contiguous{stride * count});
  // A repeat whose copies continue each other is one longer repeat.
  if (const auto* inner = std::get_if<Repeat>(&child.layout->node());
      inner && inner->stride * inner->count == stride)
    return placed(child.offset, Repeat{inner->child, inner->count * count, inner->stride});
  return placed(child.offset, Repeat{child.layout, count, stride});
}

namespace {

/// How many children from `first` on are the same at one stride.
std::size_t alike_from(const Sequence& node, std::size_t first) {
  std::size_t end = first + 1;
  while (end < node.children.size() && same(node.children[end], node.children[first]) &&
         node.offsets[end] - node.offsets[end - 1] == node.offsets[first + 1] - node.offsets[first])
    ++end;
  return end - first;
}

/// Makes one child of those that follow one another, the same at one stride. False: there were
/// none.
bool join_alike(Sequence& node) {
  std::size_t joined = 0;
  for (std::size_t first = 0; first < node.children.size(); ++joined) {
    const std::size_t alike = alike_from(node, first);
    const std::int64_t stride = alike > 1 ? node.offsets[first + 1] - node.offsets[first] : 0;
    const PlacedLayout whole = repeat({node.offsets[first], node.children[first]},
                                      static_cast<std::int64_t>(alike), stride);
    node.offsets[joined] = whole.offset;
    node.children[joined] = whole.layout;
    node.starts[joined + 1] = node.starts[joined] + whole.layout->size();
    first += alike;
  }
  const bool has_joined = joined < node.children.size();
  node.offsets.resize(joined);
  node.children.resize(joined);
  node.starts.resize(joined + 1);
  return has_joined;
}

}  // namespace

PlacedLayout sequence(std::span<const PlacedLayout> children) {
  Sequence node{{}, {0}, {}};
  for (const PlacedLayout& child : children) {
    if (!child.layout) continue;
    const auto* block = std::get_if<Contiguous>(&child.layout->node());
    const auto* previous =
        node.children.empty() ? nullptr : std::get_if<Contiguous>(&node.children.back()->node());
    if (block && previous && node.offsets.back() + previous->length == child.offset) {
      node.children.back() = contiguous(previous->length + block->length).layout;
      node.starts.back() += block->length;
      continue;
    }
    node.offsets.push_back(child.offset);
    node.starts.push_back(node.starts.back() + child.layout->size());
    node.children.push_back(child.layout);
  }
  if (node.children.empty()) return {};
  while (join_alike(node)) {  // rows to planes, planes to volumes
  }
  if (node.children.size() == 1) return {node.offsets[0], node.children[0]};
  const std::int64_t origin = move_to_zero(node.offsets);
  return placed(origin, std::move(node));
}

PlacedLayout blocks(std::span<const std::int64_t> offsets, std::span<const std::int64_t> lengths) {
  assert(offsets.size() == lengths.size());
  BlockCompressor compressor(offsets.size());
  compressor.add(offsets, lengths);
  return compressor.finish();
}

}  // namespace headrace::plan
