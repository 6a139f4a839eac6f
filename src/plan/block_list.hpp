// Blocks without a rule, in as few bits as they need: there may be 10^7 of them on each of many
// ranks of a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace headrace::plan {

/// Blocks one by one: block i has offset offsets[i], the first 0, and holds the stream bytes
/// [starts[i], starts[i+1]). None is empty. Most lists reach far less than 2^31 bytes either way:
/// what reaches farther is several lists.
struct Blocks {
  std::vector<std::int32_t> offsets;
  std::vector<std::uint32_t> starts;

  std::int64_t length_of(std::size_t block) const noexcept {
    return starts[block + 1] - starts[block];
  }
  /// Calls visit(offset, length) for each.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < offsets.size(); ++i) visit(std::int64_t{offsets[i]}, length_of(i));
  }
  bool operator==(const Blocks&) const = default;
};

/// The same in chunks of 64 blocks. All blocks of a chunk have as many bits: as many as the
/// greatest distance to the block before takes, and the greatest length, each counted from the
/// least one and in units that divide all of them (frame of reference coding). A list of few
/// numbers each, not far from one another, takes one to three bytes a block.
class BlockList {
 public:
  explicit BlockList(const Blocks& blocks);

  std::int64_t size() const noexcept { return size_; }
  /// Of the stream.
  std::int64_t bytes() const noexcept { return bytes_; }
  /// How many bytes of the stream lie below `offset`. Precondition: offsets ascend. `near`: as
  /// Layout::bytes_below has it.
  std::int64_t bytes_below(std::int64_t offset, std::size_t* near) const noexcept;
  bool operator==(const BlockList&) const = default;

  class Reader;
  /// From the block on that holds byte `position` of the stream, 0 <= position < bytes().
  Reader from(std::int64_t position) const noexcept;
  /// Calls visit(offset, length) for each.
  template <class Visit>
  void for_each(Visit&& visit) const;

 private:
  static constexpr std::int64_t chunk_size = 64;

  struct Chunk {
    std::int32_t offset;  // of the first block
    std::uint32_t start;
    std::uint32_t at;  // of its bits, in bytes
    std::uint32_t least_length;
    std::int32_t least_distance;
    std::uint8_t length_bits;
    std::uint8_t distance_bits;
    std::uint8_t unit_bits;
    std::uint8_t bits;  // of a block

    bool operator==(const Chunk&) const = default;
  };
  struct Block {
    std::uint32_t distance;  // from the block before, which may wrap around to come back
    std::int64_t length;
  };
  class Decoder {
   public:
    Decoder() = default;
    Decoder(const BlockList& list, const Chunk& chunk)
        : bits_(list.bits_.data() + chunk.at),
          block_bits_(chunk.bits),
          length_mask_(mask(chunk.length_bits)),
          distance_mask_(mask(chunk.distance_bits)),
          least_length_(chunk.least_length),
          least_distance_(static_cast<std::uint32_t>(chunk.least_distance)),
          length_bits_(chunk.length_bits),
          unit_bits_(chunk.unit_bits) {}

    Block block(std::uint64_t index) const {
      const std::uint64_t bit = index * block_bits_;
      std::uint64_t word = 0;
      std::memcpy(&word, bits_ + bit / 8, sizeof word);
      word >>= bit % 8;
      return {least_distance_ +
                  static_cast<std::uint32_t>((word >> length_bits_ & distance_mask_) << unit_bits_),
              least_length_ + static_cast<std::int64_t>((word & length_mask_) << unit_bits_)};
    }

   private:
    static std::uint64_t mask(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }

    const std::byte* bits_ = nullptr;
    std::uint64_t block_bits_ = 0;
    std::uint64_t length_mask_ = 0;
    std::uint64_t distance_mask_ = 0;
    std::int64_t least_length_ = 0;
    std::uint32_t least_distance_ = 0;
    std::uint8_t length_bits_ = 0;
    std::uint8_t unit_bits_ = 0;
  };

  const Chunk& chunk_with(std::int64_t position) const noexcept;
  std::int64_t blocks_in(const Chunk& chunk) const noexcept {
    return &chunk == &chunks_.back() ? (size_ - 1) % chunk_size + 1 : chunk_size;
  }
  std::int64_t end_of(const Chunk& chunk) const noexcept {
    return &chunk == &chunks_.back() ? bytes_ : std::int64_t{(&chunk)[1].start};
  }
  void add_chunk(const Blocks& blocks, std::size_t first);

  std::vector<Chunk> chunks_;
  std::vector<std::byte> bits_;  // and room to read a word from the last of them
  std::int64_t size_;
  std::int64_t bytes_;
};

/// Goes from block to block. Does not own the list.
class BlockList::Reader {
 public:
  /// Of none.
  Reader() = default;
  /// Behind the last block. If not, there is one that is the next:
  bool at_end() const noexcept { return list_ == nullptr; }
  std::int64_t offset() const noexcept { return offset_; }
  std::int64_t length() const noexcept { return length_; }
  /// Stream bytes before it.
  std::int64_t start() const noexcept { return start_; }

  void advance() noexcept {
    if (index_ + 1 < count_)
      step(decoder_);
    else
      leave_chunk();
  }

  /// Calls visit(offset, length) for the next blocks, which it passes, as far as they are whole in
  /// the next `bytes` bytes of the stream. Gives their bytes.
  template <class Visit>
  std::int64_t pass_whole(std::int64_t bytes, Visit&& visit) {
    const std::int64_t begin = start_;
    const std::int64_t end = begin + bytes;
    while (!at_end() && list_->end_of(*chunk_) <= end) pass_chunk(visit);
    if (at_end()) return start_ - begin;
    for (const Decoder decoder = decoder_; start_ + length_ <= end; step(decoder))
      visit(std::int64_t{offset_}, length_);
    return start_ - begin;
  }

 private:
  friend class BlockList;

  /// From the first one of `chunk` on.
  Reader(const BlockList& list, const Chunk& chunk) : list_(&list) { enter(chunk); }

  /// To the next block of the chunk. Precondition: there is one.
  void step(const Decoder& decoder) noexcept {
    const Block block = decoder.block(++index_);
    start_ += length_;
    offset_ = moved(offset_, block.distance);
    length_ = block.length;
  }
  static std::int32_t moved(std::int32_t offset, std::uint32_t by) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(offset) + by);
  }

  template <class Visit>
  void pass_chunk(Visit&& visit) {
    const Decoder decoder = decoder_;
    const std::int64_t count = count_;
    std::int32_t offset = offset_;
    visit(std::int64_t{offset}, length_);
    for (std::int64_t i = index_ + 1; i < count; ++i) {
      const Block block = decoder.block(i);
      offset = moved(offset, block.distance);
      visit(std::int64_t{offset}, block.length);
    }
    leave_chunk();
  }

  void enter(const Chunk& chunk) noexcept {
    chunk_ = &chunk;
    decoder_ = Decoder(*list_, chunk);
    count_ = list_->blocks_in(chunk);
    index_ = 0;
    offset_ = chunk.offset;
    start_ = chunk.start;
    length_ = decoder_.block(0).length;
  }

  void leave_chunk() noexcept {
    start_ = list_->end_of(*chunk_);
    if (chunk_ == &list_->chunks_.back())
      list_ = nullptr;
    else
      enter(chunk_[1]);
  }

  const BlockList* list_ = nullptr;
  const Chunk* chunk_ = nullptr;
  Decoder decoder_;         // of the chunk
  std::int64_t count_ = 0;  // of its blocks
  std::int64_t index_ = 0;  // among them
  std::int64_t length_ = 0;
  std::int64_t start_ = 0;
  std::int32_t offset_ = 0;
};

template <class Visit>
void BlockList::for_each(Visit&& visit) const {
  from(0).pass_whole(bytes_, visit);
}

}  // namespace headrace::plan
