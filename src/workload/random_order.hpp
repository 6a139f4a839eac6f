// Random numbers and random orders that are the same on every machine for the same seed
// (the standard library's distributions are not), and that any rank makes alone.
#pragma once

#include <cstdint>

namespace headrace::workload {

/// splitmix64: https://prng.di.unimi.it/splitmix64.c
inline std::uint64_t scramble(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// A stream of random numbers, one for each seed.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) noexcept : state_(scramble(seed)) {}
  std::uint64_t next() noexcept { return scramble(state_++); }
  /// 0 to count - 1. The bias of the remainder, count / 2^64, does not matter here.
  std::int64_t below(std::int64_t count) noexcept {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
  }

 private:
  std::uint64_t state_;
};

/// The numbers 0 to count - 1 in a random order, any place of it in O(1): a Feistel network of four
/// rounds on the next even power of two, walked until it leads back below count (less than four
/// steps on average).
class RandomOrder {
 public:
  /// count >= 1.
  RandomOrder(std::int64_t count, std::uint64_t seed) noexcept
      : count_(static_cast<std::uint64_t>(count)), seed_(seed) {
    while (half_bits_ < 31 && (std::uint64_t{1} << (2 * half_bits_)) < count_) ++half_bits_;
  }

  /// 0 <= place < count.
  std::int64_t at(std::int64_t place) const noexcept {
    auto value = permuted(static_cast<std::uint64_t>(place));
    while (value >= count_) value = permuted(value);
    return static_cast<std::int64_t>(value);
  }

 private:
  std::uint64_t permuted(std::uint64_t value) const noexcept {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = value >> half_bits_;
    std::uint64_t right = value & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t key = scramble(seed_ ^ (round << 56));
      const std::uint64_t mixed = left ^ (scramble(right ^ key) & mask);
      left = right;
      right = mixed;
    }
    return left << half_bits_ | right;
  }

  std::uint64_t count_;
  std::uint64_t seed_;
  int half_bits_ = 1;
};

}  // namespace headrace::workload
