// The bytes that a source of runs gives, one by one.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "plan/pattern.hpp"

namespace headrace::test {

/// Offsets, in the source's order. The first `runs` runs are asked for one by one, and what is left
/// piece by piece: both ways must give the same. It must not take several pieces for one.
template <class Source>
std::vector<std::int64_t> walked(Source source, int runs) {
  std::vector<std::int64_t> bytes;
  const bool is_one_piece = source.is_one_piece();
  int pieces = 0;
  const auto visit = [&](std::int64_t offset, std::int64_t length) {
    ++pieces;
    for (std::int64_t b = 0; b < length; ++b) bytes.push_back(offset + b);
  };
  plan::Run run;
  for (; runs > 0 && source.next(run); --runs) run.for_each_piece(visit);
  source.for_each_piece(visit);
  EXPECT_TRUE(!is_one_piece || pieces <= 1);
  return bytes;
}

}  // namespace headrace::test
