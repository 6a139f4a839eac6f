// Layouts: where the bytes of a data stream lie, kept as a tree as compact as the datatype it came
// from. A vector of 10^9 blocks is one node; only what has no rule at all is kept as a list.
//
// A layout answers, without being flattened: how many bytes, between which offsets, which byte of
// the stream is the first at or after a given offset. It is walked with plan::RunCursor
// (pattern.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "base/extent.hpp"
#include "plan/block_list.hpp"

namespace headrace::plan {

class Layout;
/// Layouts are immutable and shared freely between patterns, caches and threads.
using LayoutPtr = std::shared_ptr<const Layout>;

/// A layout moved by `offset` bytes. An empty layout is a null pointer.
struct PlacedLayout {
  std::int64_t offset = 0;
  LayoutPtr layout;
};

/// One contiguous block: offsets [0, length).
struct Contiguous {
  std::int64_t length;
};

/// `count` copies of `child`, copy i moved by i*stride bytes. stride may be zero or negative.
struct Repeat {
  LayoutPtr child;
  std::int64_t count;
  std::int64_t stride;
};

/// The elements of several arrays in turns, as where a structure of arrays is written as an array
/// of structures: `count` turns; block j of turn i is that of `turn`, moved by i*strides[j]
/// bytes.
struct Interleaved {
  Blocks turn;
  std::vector<std::int64_t> strides;
  std::int64_t count;

  std::int64_t turn_bytes() const noexcept { return turn.starts.back(); }
  std::int64_t block_count() const noexcept { return count * std::ssize(strides); }
  std::int64_t offset_of(std::int64_t turn_number, std::size_t block) const noexcept {
    return turn.offsets[block] + turn_number * strides[block];
  }
};

/// Children one after another in the stream: child i moved by offsets[i], holding the stream bytes
/// [starts[i], starts[i+1]). None is empty.
struct Sequence {
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> starts;
  std::vector<LayoutPtr> children;
};

class Layout {
 public:
  using Node = std::variant<Contiguous, Repeat, BlockList, Interleaved, Sequence>;

  /// Use the factories below; they keep a layout in its shortest form.
  explicit Layout(Node node);

  const Node& node() const noexcept { return node_; }
  /// Bytes of the stream. Never zero.
  std::int64_t size() const noexcept { return size_; }
  /// The smallest range that holds every byte.
  Extent span() const noexcept { return span_; }
  /// Stream order is offset order, and no two bytes share an offset: what a file view must be.
  bool monotone() const noexcept { return monotone_; }
  bool is_contiguous() const noexcept { return std::holds_alternative<Contiguous>(node_); }
  /// Blocks in stream order, neighbours that touch not joined: how long its list of requests is.
  std::int64_t block_count() const noexcept { return block_count_; }

  /// How many bytes of the stream lie below `offset`. Precondition: monotone().
  /// O(depth * log(widest list)).
  std::int64_t bytes_below(std::int64_t offset) const noexcept {
    return bytes_below(offset, nullptr);
  }
  /// The same, sooner where the offset is near the one asked for before: `near`, 0 at first, says
  /// where that was in a list of blocks. Or null.
  std::int64_t bytes_below(std::int64_t offset, std::size_t* near) const noexcept;

 private:
  Node node_;
  std::int64_t size_ = 0;
  Extent span_;
  std::int64_t block_count_ = 0;
  bool monotone_ = true;
};

/// Whether both hold the same bytes in the same order, written down in the same way. Exact; at once
/// where they are one object, or differ in size.
bool same(const LayoutPtr& a, const LayoutPtr& b);

/// The factories. Each takes and gives placed layouts, drops what is empty, and joins what is
/// contiguous or the same at one stride, so that two datatypes of one meaning get the same short
/// tree where that is cheap; also wherever they lie, as lists begin at 0.
PlacedLayout contiguous(std::int64_t length);
PlacedLayout repeat(const PlacedLayout& child, std::int64_t count, std::int64_t stride);
PlacedLayout sequence(std::span<const PlacedLayout> children);

/// Block i is lengths[i] bytes at offsets[i], in stream order; the spans have one size, no length
/// is negative. Runs of equal length and stride become Repeat nodes, and so do lists of up to
/// 65,536 blocks that recur; elements of arrays in turns Interleaved ones.
PlacedLayout blocks(std::span<const std::int64_t> offsets, std::span<const std::int64_t> lengths);

}  // namespace headrace::plan
