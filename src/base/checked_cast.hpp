// Casts between int, MPI_Count and 64-bit integers that cannot lose anything unseen.
#pragma once

#include <optional>
#include <utility>

namespace headrace {

/// `value` as a To, or nullopt where To cannot hold it. The caller decides what that means: most
/// often that the host MPI must make the call, sometimes an error.
template <class To, class From>
constexpr std::optional<To> checked_cast(From value) noexcept {
  if (!std::in_range<To>(value)) return std::nullopt;
  return static_cast<To>(value);
}

}  // namespace headrace
