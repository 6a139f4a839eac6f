// What rank 0 knows and every rank of a file must use, so that no two ranks decide differently.
#pragma once

#include <cstdint>
#include <string>

#include "base/options.hpp"

namespace headrace::preload {

struct SharedFacts {
  /// Of the file, so that no rank opens another one by the same path; 0: rank 0 has not found it,
  /// and Headrace must not touch it.
  std::uint64_t inode = 0;
  /// Totals of the counters are wanted at close.
  bool reports = false;
  Options options;
};

/// A text for broadcast, and back. What is not UTF-8 in it becomes the same replacement for all.
std::string encoded(const SharedFacts& facts);
SharedFacts decoded_facts(const std::string& text);

}  // namespace headrace::preload
