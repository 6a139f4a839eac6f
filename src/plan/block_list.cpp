#include "plan/block_list.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <span>

namespace headrace::plan {
namespace {

// Words are read from any byte on, of which the first ones are to be the lowest.
static_assert(std::endian::native == std::endian::little);

constexpr unsigned word_bits = 64;

/// How many bits a block may have so that a word that begins with the byte of its first bit holds
/// all of them; with more, each has a word of its own.
constexpr unsigned most_bits = word_bits - 7;

constexpr std::size_t bytes_of(std::size_t bits) {
  return (bits + 7) / 8;
}

/// Puts words of some bits one after the other.
class BitWriter {
 public:
  explicit BitWriter(std::byte* out) : out_(out) {}

  /// Precondition: the word has no more than `bits`.
  void put(std::uint64_t word, unsigned bits) {
    pending_ |= word << filled_;
    if (filled_ + bits < word_bits) {
      filled_ += bits;
      return;
    }
    std::memcpy(out_, &pending_, sizeof pending_);
    out_ += sizeof pending_;
    const unsigned put = word_bits - filled_;
    pending_ = put < word_bits ? word >> put : 0;
    filled_ = bits - put;
  }
  void finish() {
    if (filled_ > 0) std::memcpy(out_, &pending_, bytes_of(filled_));
  }

 private:
  std::byte* out_;
  std::uint64_t pending_ = 0;
  unsigned filled_ = 0;
};

/// Of the numbers of a chunk.
struct Range {
  std::int64_t least;
  std::uint64_t any = 0;  // bits that some have of what they are more than the least

  explicit Range(std::span<const std::int64_t> numbers)
      : least(numbers.empty() ? 0 : std::ranges::min(numbers)) {
    for (const std::int64_t number : numbers) any |= static_cast<std::uint64_t>(number - least);
  }
};

std::int32_t distance_between(std::int32_t from, std::int32_t to) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(to) -
                                   static_cast<std::uint32_t>(from));
}

/// How many of the chunks are before, which are the first ones: looked for in steps that double,
/// from `near` on.
template <class Chunk, class IsBefore>
std::size_t count_before(std::span<const Chunk> chunks, std::size_t near, IsBefore is_before) {
  std::size_t low = std::min(near, chunks.size());
  std::size_t high = low;
  std::size_t step = 1;
  if (low < chunks.size() && is_before(chunks[low])) {
    while (high < chunks.size() && is_before(chunks[high])) {
      low = high + 1;
      high += step;
      step *= 2;
    }
    high = std::min(high, chunks.size());
  } else {
    while (low > 0 && !is_before(chunks[low - 1])) {
      high = low - 1;
      low -= std::min(step, low);
      step *= 2;
    }
  }
  const auto looked_at = chunks.subspan(low, high - low);
  return low + (std::ranges::partition_point(looked_at, is_before) - looked_at.begin());
}

}  // namespace

BlockList::BlockList(const Blocks& blocks)
    : size_(std::ssize(blocks.offsets)), bytes_(blocks.starts.back()) {
  assert(size_ > 0);
  chunks_.reserve((size_ + chunk_size - 1) / chunk_size);
  for (std::int64_t first = 0; first < size_; first += chunk_size) add_chunk(blocks, first);
  bits_.resize(bits_.size() + sizeof(std::uint64_t));
  bits_.shrink_to_fit();
}

void BlockList::add_chunk(const Blocks& blocks, std::size_t first) {
  const std::size_t count = std::min<std::size_t>(chunk_size, blocks.offsets.size() - first);
  std::array<std::int64_t, chunk_size> lengths{};
  std::array<std::int64_t, chunk_size> distances{};
  for (std::size_t i = 0; i < count; ++i) lengths[i] = blocks.length_of(first + i);
  for (std::size_t i = 1; i < count; ++i)
    distances[i] = distance_between(blocks.offsets[first + i - 1], blocks.offsets[first + i]);
  const Range length{std::span(lengths).first(count)};
  const Range distance{std::span(distances).subspan(1, count - 1)};
  distances[0] = distance.least;

  const std::uint64_t any = length.any | distance.any;
  const int unit = any == 0 ? 0 : std::countr_zero(any);
  const auto bits_for = [unit](std::uint64_t number) {
    return static_cast<unsigned>(std::bit_width(number >> unit));
  };
  const unsigned length_bits = bits_for(length.any);
  const unsigned distance_bits = bits_for(distance.any);
  const unsigned least_bits = length_bits + distance_bits;
  const unsigned bits = least_bits > most_bits ? word_bits : least_bits;
  const std::size_t at = bits_.size();
  chunks_.push_back(
      {blocks.offsets[first], blocks.starts[first], static_cast<std::uint32_t>(at),
       static_cast<std::uint32_t>(length.least), static_cast<std::int32_t>(distance.least),
       static_cast<std::uint8_t>(length_bits), static_cast<std::uint8_t>(distance_bits),
       static_cast<std::uint8_t>(unit), static_cast<std::uint8_t>(bits)});
  bits_.resize(at + bytes_of(count * bits));
  assert(bits_.size() <= std::numeric_limits<std::uint32_t>::max());
  BitWriter writer(bits_.data() + at);
  for (std::size_t i = 0; i < count; ++i) {
    const auto in_units = [unit](std::int64_t number, std::int64_t least) {
      return static_cast<std::uint64_t>(number - least) >> unit;
    };
    writer.put(
        in_units(distances[i], distance.least) << length_bits | in_units(lengths[i], length.least),
        bits);
  }
  writer.finish();
}

/// The last one that begins at or before a byte of the stream.
const BlockList::Chunk& BlockList::chunk_with(std::int64_t position) const noexcept {
  const auto behind = std::ranges::upper_bound(chunks_, position, {}, &Chunk::start);
  return behind[-1];
}

BlockList::Reader BlockList::from(std::int64_t position) const noexcept {
  assert(position >= 0 && position < bytes_);
  Reader reader(*this, chunk_with(position));
  const Decoder decoder = reader.decoder_;
  while (reader.start_ + reader.length_ <= position) reader.step(decoder);
  return reader;
}

std::int64_t BlockList::bytes_below(std::int64_t offset, std::size_t* near) const noexcept {
  const auto is_below = [offset](const Chunk& chunk) { return chunk.offset < offset; };
  const std::size_t below =
      near != nullptr ? count_before(std::span(chunks_), *near, is_below)
                      : static_cast<std::size_t>(std::ranges::partition_point(chunks_, is_below) -
                                                 chunks_.begin());
  if (near != nullptr) *near = below;
  if (below == 0) return 0;
  Reader reader(*this, chunks_[below - 1]);
  const Decoder decoder = reader.decoder_;
  for (Reader next = reader; next.index_ + 1 < next.count_; reader = next) {
    next.step(decoder);
    if (next.offset_ >= offset) break;
  }
  return reader.start_ + std::min(offset - reader.offset_, reader.length_);
}

}  // namespace headrace::plan
