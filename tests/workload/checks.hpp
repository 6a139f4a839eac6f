// What every workload promises (workload.hpp), checked by walking all its requests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "plan/pattern.hpp"
#include "workload/workload.hpp"

namespace headrace::workload {

/// Ends the test with the complaint where the workload cannot be made.
inline std::unique_ptr<Workload> made(std::string_view name, const Settings& settings, int ranks) {
  auto workload = make(name, settings, ranks);
  if (workload.ok()) return std::move(*workload);
  throw std::runtime_error(workload.status().message());
}

/// The complaint; empty where there is none.
inline std::string complaint(std::string_view name, const Settings& settings, int ranks) {
  return make(name, settings, ranks).status().message();
}

inline std::int64_t size_of(const plan::PlacedLayout& placed) {
  return placed.layout ? placed.layout->size() : 0;
}

inline std::int64_t requests_of(const plan::PlacedLayout& placed) {
  return placed.layout ? placed.layout->block_count() : 0;
}

/// Every request, in stream order.
inline std::vector<Extent> extents_of(const plan::PlacedLayout& placed) {
  std::vector<Extent> extents;
  plan::RunCursor cursor(plan::Pattern(placed, 0, size_of(placed)));
  for (plan::Run run; cursor.next(run);)
    for (std::int64_t i = 0; i < run.count; ++i)
      extents.push_back({run.offset + i * run.stride, run.offset + i * run.stride + run.length});
  return extents;
}

/// Sorts them; false where two share a byte or one begins below zero.
inline bool are_apart(std::vector<Extent> extents) {
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  std::int64_t end = 0;
  for (const Extent& extent : extents) {
    if (extent.begin < end) return false;
    end = extent.end;
  }
  return true;
}

inline void expect_promises_kept(const Workload& workload) {
  std::vector<Extent> all;
  std::int64_t bytes = 0;
  for (int rank = 0; rank < workload.ranks(); ++rank) {
    const auto file = workload.file(rank);
    const auto memory = workload.memory(rank);
    const auto extents = extents_of(file);
    EXPECT_TRUE(!file.layout || file.layout->monotone()) << "rank " << rank;
    EXPECT_EQ(size_of(memory), size_of(file)) << "rank " << rank;
    EXPECT_TRUE(are_apart(extents_of(memory))) << "memory of rank " << rank;
    EXPECT_GE(workload.requests(rank), requests_of(file)) << "rank " << rank;
    bytes += size_of(file);
    all.insert(all.end(), extents.begin(), extents.end());
  }
  EXPECT_EQ(bytes, workload.call_bytes());
  EXPECT_TRUE(are_apart(all)) << "ranks share bytes, or a request begins below zero";
  std::int64_t end = 0;
  for (const Extent& extent : all) end = std::max(end, extent.end);
  EXPECT_LE(end, workload.call_stride());
  EXPECT_EQ(workload.displacement(3), workload.header_bytes() + 3 * workload.call_stride());
  EXPECT_GE(workload.default_calls(), 1);
}

}  // namespace headrace::workload
