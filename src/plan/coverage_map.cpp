#include "plan/coverage_map.hpp"

#include <algorithm>
#include <bit>

namespace headrace::plan {
namespace {

constexpr std::uint64_t all_bits = ~std::uint64_t{0};

/// The bits below `bit`, 0 <= bit < 64.
std::uint64_t bits_below(std::int64_t bit) {
  return (std::uint64_t{1} << static_cast<unsigned>(bit)) - 1;
}

}  // namespace

CoverageMap::CoverageMap(Extent window)
    : window_(window),
      words_(static_cast<std::size_t>((window.length() + word_bits - 1) / word_bits)) {}

/// Bits of two words and more.
void CoverageMap::mark_words(std::int64_t begin, std::int64_t end) {
  const auto first = static_cast<std::size_t>(begin / word_bits);
  const auto last = static_cast<std::size_t>((end - 1) / word_bits);
  words_[first] |= ~bits_below(begin % word_bits);
  std::fill(words_.begin() + first + 1, words_.begin() + last, all_bits);
  words_[last] |= bits_below((end - 1) % word_bits) << 1U | 1U;
}

void CoverageMap::mark(std::span<const std::byte> wire) {
  std::uint64_t* const words = words_.data();
  RunDecoder(wire).for_each_piece([this, words](std::int64_t offset, std::int64_t length) {
    const std::int64_t begin = offset - window_.begin;
    const std::int64_t bit = begin % word_bits;
    if (bit + length <= word_bits)
      words[begin / word_bits] |= all_bits >> static_cast<unsigned>(word_bits - length)
                                                  << static_cast<unsigned>(bit);
    else
      mark_words(begin, begin + length);
  });
}

RunEncoder CoverageMap::requests() const {
  RunEncoder encoder;
  std::int64_t first = 0;  // offset of the word
  std::int64_t begin = 0;
  std::uint64_t last = 0;  // bit of the word before
  for (const std::uint64_t word : words_) {
    // A bit that is not as the one before it begins a request or a hole, in turns.
    for (std::uint64_t edges = word ^ (word << 1U | last); edges != 0; edges &= edges - 1) {
      const int bit = std::countr_zero(edges);
      const std::int64_t edge = window_.begin + first + bit;
      if ((word >> static_cast<unsigned>(bit) & 1U) != 0)
        begin = edge;
      else
        encoder.add(begin, edge - begin);
    }
    last = word >> (word_bits - 1U);
    first += word_bits;
  }
  if (last != 0) encoder.add(begin, window_.begin + first - begin);
  encoder.finish();
  return encoder;
}

/// Where a bit is marked and the one before it is not.
std::int64_t CoverageMap::marked_requests() const noexcept {
  std::int64_t begun = 0;
  std::uint64_t last = 0;  // bit of the word before
  for (const std::uint64_t word : words_) {
    begun += std::popcount(word & ~(word << 1U | last));
    last = word >> (word_bits - 1U);
  }
  return begun;
}

std::int64_t CoverageMap::marked_bytes() const noexcept {
  std::int64_t bytes = 0;
  for (const std::uint64_t word : words_) bytes += std::popcount(word);
  return bytes;
}

void CoverageMap::number_bytes() {
  below_.resize(words_.size());
  std::uint32_t marked = 0;
  for (std::size_t word = 0; word < words_.size(); ++word) {
    below_[word] = marked;
    marked += static_cast<std::uint32_t>(std::popcount(words_[word]));
  }
}

std::int64_t CoverageMap::position(std::int64_t offset) const noexcept {
  const std::int64_t bit = offset - window_.begin;
  const auto word = static_cast<std::size_t>(bit / word_bits);
  return below_[word] + std::popcount(words_[word] & bits_below(bit % word_bits));
}

}  // namespace headrace::plan
