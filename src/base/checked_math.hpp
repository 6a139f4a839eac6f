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

}  // namespace headrace
