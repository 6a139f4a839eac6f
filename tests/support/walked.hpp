// The bytes that a source of runs gives, one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/pattern.hpp"

namespace headrace::test {

/// Offsets, in the source's order. The first `runs` runs are asked for one by one, and what is left
/// piece by piece: both ways must give the same.
template <class Source>
std::vector<std::int64_t> walked(Source source, int runs) {
  std::vector<std::int64_t> bytes;
  const auto visit = [&bytes](std::int64_t offset, std::int64_t length) {
    for (std::int64_t b = 0; b < length; ++b) bytes.push_back(offset + b);
  };
  plan::Run run;
  for (; runs > 0 && source.next(run); --runs) run.for_each_piece(visit);
  source.for_each_piece(visit);
  return bytes;
}

}  // namespace headrace::test
