// Half-open byte ranges: the unit in which files are divided.
#pragma once

#include <algorithm>
#include <cstdint>

namespace headrace {

/// The bytes [begin, end) of a file or of a buffer. Empty when begin >= end.
struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const noexcept { return end > begin ? end - begin : 0; }
  bool empty() const noexcept { return end <= begin; }
  bool operator==(const Extent&) const = default;
};

inline Extent intersection(Extent a, Extent b) noexcept {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace headrace
