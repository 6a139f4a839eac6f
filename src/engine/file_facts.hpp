// What rank 0 knows of a file and every rank must use, so that no two ranks decide differently.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "engine/veto.hpp"

namespace headrace::engine {

struct FileFacts {
  /// Of the file, so that no rank opens another one by the same path; 0: any.
  std::uint64_t inode = 0;
  /// Why Headrace must not touch the file.
  Veto veto = Veto::none;
  /// Totals of the counters are wanted at close.
  bool reports = false;
  Options options;
  /// What the host shows of its own hints, other than Headrace's options.
  std::vector<Hint> host_hints = {};

  bool operator==(const FileFacts&) const = default;
};

/// A text for broadcast, and back. What is not UTF-8 in it becomes the same replacement for all.
std::string encoded(const FileFacts& facts);
FileFacts decoded_facts(const std::string& text);

}  // namespace headrace::engine
