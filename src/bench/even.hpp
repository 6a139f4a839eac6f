// The floors' workload: the same bytes as another one's call, each rank one contiguous extent.
#pragma once

#include "workload/workload.hpp"

namespace headrace::bench {

class Even : public workload::Workload {
 public:
  Even(std::int64_t bytes, int ranks) : bytes_(bytes), ranks_(ranks) {}

  int ranks() const override { return ranks_; }
  plan::PlacedLayout file(int rank) const override {
    const std::int64_t begin = bytes_ * rank / ranks_;
    plan::PlacedLayout placed = plan::contiguous(bytes_ * (rank + 1) / ranks_ - begin);
    placed.offset += begin;
    return placed;
  }
  std::int64_t call_stride() const override { return bytes_; }
  std::int64_t call_bytes() const override { return bytes_; }
  std::int64_t default_calls() const override { return 1; }

 private:
  std::int64_t bytes_;
  int ranks_;
};

}  // namespace headrace::bench
