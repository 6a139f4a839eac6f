// Random numbers that are the same on every machine and every rank for the same seed
// (std::uniform_int_distribution is not).
#pragma once

#include <cstdint>
#include <initializer_list>

namespace headrace::test {

/// splitmix64: https://prng.di.unimi.it/splitmix64.c
inline std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class Random {
 public:
  /// One stream per combination of keys, each independent of the others.
  explicit Random(std::initializer_list<std::uint64_t> keys) noexcept {
    for (const std::uint64_t key : keys) state_ = mix(state_ ^ key);
  }

  std::uint64_t next() noexcept { return mix(state_++); }

  /// Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) noexcept {
    const auto width = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(next() % width);
  }

  /// True `percent` times in a hundred.
  bool chance(int percent) noexcept { return between(0, 99) < percent; }

  template <class Value>
  Value pick(std::initializer_list<Value> values) noexcept {
    return values.begin()[between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace headrace::test
