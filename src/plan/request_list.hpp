// Offset-length lists as callers give them (headrace.h), checked and turned into patterns.
#pragma once

#include <cstdint>
#include <string>

#include "plan/pattern.hpp"

namespace headrace::plan {

/// Entry i is lengths[i] bytes at offsets[i]. The arrays are the caller's; they may be null if
/// count is zero.
struct RequestList {
  std::int64_t count = 0;
  const std::int64_t* offsets = nullptr;
  const std::int64_t* lengths = nullptr;
};

enum class ListSide {
  file,   ///< offsets ascend from 0 on, and entries do not overlap
  memory  ///< any order, any sign
};

struct ListCheck {
  std::int64_t bytes = 0;  ///< of all entries; meaningless if there is a complaint
  std::string complaint;   ///< the first thing that is wrong; empty if nothing is
};

/// One pass over the list; entries of no length are only checked for being no negative length.
ListCheck check_list(const RequestList& list, ListSide side);

/// The bytes of a list without complaint. O(count) time; up to 16 bytes per irregular entry.
/// Monotone if it was checked as a list of the file side.
Pattern pattern_of_list(const RequestList& list);

}  // namespace headrace::plan
