// Which bytes of a window are asked for, a bit each: where requests are many and small, marking
// them takes fewer steps than sorting them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/extent.hpp"
#include "plan/run_codec.hpp"

namespace headrace::plan {

/// Takes an eighth of the window's length in memory; with positions, three sixteenths.
class CoverageMap {
 public:
  /// Of the bytes of `window`, none of them marked. Not empty.
  explicit CoverageMap(Extent window);

  /// The bytes of a list in wire form. Precondition: they lie in the window.
  void mark(std::span<const std::byte> wire);

  /// The marked bytes.
  RunEncoder requests() const;
  /// How many requests and bytes that are; for a fraction of its cost.
  std::int64_t marked_requests() const noexcept;
  std::int64_t marked_bytes() const noexcept;

  /// To be called once all is marked, before position().
  void number_bytes();
  /// How many marked bytes lie below `offset`: its place in the packed union of what is marked.
  std::int64_t position(std::int64_t offset) const noexcept;

 private:
  static constexpr int word_bits = 64;

  void mark_words(std::int64_t begin, std::int64_t end);

  Extent window_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> below_;  // marked bytes before each word
};

}  // namespace headrace::plan
