// Which way a call moves its bytes.
#pragma once

namespace headrace {

enum class Direction { write, read };
constexpr int direction_count = 2;

constexpr const char* direction_name(Direction direction) noexcept {
  return direction == Direction::write ? "write" : "read";
}

}  // namespace headrace
