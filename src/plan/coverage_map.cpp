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

void CoverageMap::mark_piece(std::int64_t begin, std::int64_t end) {
  const auto first = static_cast<std::size_t>(begin / word_bits);
  const auto last = static_cast<std::size_t>((end - 1) / word_bits);
  const std::uint64_t from_begin = ~bits_below(begin % word_bits);
  const std::uint64_t to_end = bits_below((end - 1) % word_bits) << 1U | 1U;
  if (first == last) {
    words_[first] |= from_begin & to_end;
    return;
  }
  words_[first] |= from_begin;
  std::fill(words_.begin() + first + 1, words_.begin() + last, all_bits);
  words_[last] |= to_end;
}

void CoverageMap::mark(std::span<const std::byte> wire) {
  RunDecoder(wire).for_each_piece([this](std::int64_t offset, std::int64_t length) {
    const std::int64_t begin = offset - window_.begin;
    mark_piece(begin, begin + length);
  });
}

/// The first bit from `bit` on that is, or is not, marked; beyond all words if there is none.
std::size_t CoverageMap::next(std::size_t bit, bool marked) const noexcept {
  std::size_t word = bit / word_bits;
  std::uint64_t skipped = bits_below(static_cast<std::int64_t>(bit % word_bits));
  for (; word < words_.size(); ++word, skipped = 0)
    if (const std::uint64_t found = (marked ? words_[word] : ~words_[word]) & ~skipped; found != 0)
      return word * word_bits + static_cast<std::size_t>(std::countr_zero(found));
  return words_.size() * word_bits;
}

RunEncoder CoverageMap::requests() const {
  RunEncoder encoder;
  const std::size_t end = words_.size() * word_bits;
  for (std::size_t begin = next(0, true); begin < end;) {
    const std::size_t hole = next(begin, false);
    encoder.add(window_.begin + static_cast<std::int64_t>(begin),
                static_cast<std::int64_t>(hole - begin));
    begin = next(hole, true);
  }
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
