// 64-bit arithmetic that refuses to overflow.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace headrace {

/// Both throw std::overflow_error where the true result needs more than 64 bits; noexcept entry
/// points turn that into a Status.
inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw std::overflow_error("sum beyond 64 bits");
  return sum;
}

inline std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw std::overflow_error("product beyond 64 bits");
  return product;
}

/// For loops that ask once, at their end. Results are of no use where one was too large.
class OverflowFlag {
 public:
  std::int64_t add(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t sum = 0;
    is_set_ |= __builtin_add_overflow(a, b, &sum);
    return sum;
  }
  std::int64_t multiply(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t product = 0;
    is_set_ |= __builtin_mul_overflow(a, b, &product);
    return product;
  }
  /// Throws std::overflow_error if any result needed more than 64 bits.
  void check() const {
    if (is_set_) throw std::overflow_error("number beyond 64 bits");
  }

 private:
  bool is_set_ = false;
};

}  // namespace headrace
