// From blocks one by one to a layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/layout.hpp"

namespace headrace::plan {

/// Gathers blocks into contiguous and strided stretches, leaving the rest as lists.
class BlockCompressor {
 public:
  /// `most`: how many blocks will be added.
  explicit BlockCompressor(std::size_t most) : left_(most) {}

  /// In stream order. What is empty is left out.
  void add(std::int64_t offset, std::int64_t length) {
    if (length == 0) return;
    if (offset == open_.offset + open_.length && open_.length > 0) {
      open_.length += length;
      return;
    }
    put_open();
    open_ = {offset, length};
  }

  /// All that was added. No add() after it.
  PlacedLayout finish();

 private:
  struct Block {
    std::int64_t offset;
    std::int64_t length;
  };
  /// Shorter runs cost less as blocks of a list (8 bytes each) than as a node.
  static constexpr std::int64_t shortest_run = 16;

  /// To the blocks held back, if it goes on with them. Two of one length always do.
  void put_open() {
    if (open_.length == 0) return;
    // Between any two offsets: where this wraps around, there is no third block at that stride.
    const auto stride = static_cast<std::int64_t>(static_cast<std::uint64_t>(open_.offset) -
                                                  static_cast<std::uint64_t>(last_.offset));
    const bool is_alike = alike_ > 0 && open_.length == last_.length;
    if (is_alike && (alike_ == 1 || stride == stride_)) {
      ++alike_;
    } else if (is_alike && alike_ < shortest_run) {
      put_first(alike_ - 1);
      alike_ = 2;
    } else {
      flush_alike();
      alike_ = 1;
    }
    stride_ = stride;
    last_ = open_;
  }
  /// Into the list, `count` of those held back.
  void put_first(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto before_last = static_cast<std::uint64_t>(alike_ - 1 - i);
      put_in_list({static_cast<std::int64_t>(static_cast<std::uint64_t>(last_.offset) -
                                             before_last * static_cast<std::uint64_t>(stride_)),
                   last_.length});
    }
  }
  void put_in_list(const Block& block) {
    if (!goes_on_with_list(block)) return put_elsewhere(block);
    list_.offsets.push_back(static_cast<std::int32_t>(block.offset - origin_));
    list_.starts.push_back(list_.starts.back() + static_cast<std::uint32_t>(block.length));
  }
  bool goes_on_with_list(const Block& block) const {
    constexpr std::uint64_t range = std::uint64_t{1} << 32;
    const std::uint64_t distance =
        static_cast<std::uint64_t>(block.offset) - static_cast<std::uint64_t>(origin_);
    return !list_.offsets.empty() && distance + range / 2 < range &&
           static_cast<std::uint64_t>(block.length) < range - list_.starts.back();
  }
  void put_elsewhere(const Block& block);
  void flush_alike();
  void flush_list();
  Blocks take_list();

  Blocks list_{{}, {0}};
  std::int64_t origin_ = 0;  // of the list: where its first block is
  std::vector<PlacedLayout> parts_;
  std::size_t left_;        // blocks not yet in a list that is done
  Block open_{0, 0};        // may still grow; no length before the first
  Block last_{0, 0};        // of those held back
  std::int64_t alike_ = 0;  // how many are held back: all of one length, at one stride
  std::int64_t stride_ = 0;
};

}  // namespace headrace::plan
