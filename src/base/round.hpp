// Rounding to multiples.
#pragma once

#include <cstdint>

namespace headrace {

/// value >= 0, unit > 0.
constexpr std::int64_t round_down(std::int64_t value, std::int64_t unit) {
  return value - value % unit;
}
constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return round_down(value + unit - 1, unit);
}

}  // namespace headrace
