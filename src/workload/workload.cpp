#include "workload/workload.hpp"

namespace headrace::workload {

plan::PlacedLayout Workload::memory(int rank) const {
  const plan::PlacedLayout placed = file(rank);
  return plan::contiguous(placed.layout ? placed.layout->size() : 0);
}

plan::Pattern Workload::pattern(int rank, std::int64_t call) const {
  plan::PlacedLayout placed = file(rank);
  placed.offset += displacement(call);
  return plan::Pattern(placed);
}

std::int64_t Workload::requests(int rank) const {
  const plan::PlacedLayout placed = file(rank);
  return placed.layout ? placed.layout->block_count() : 0;
}

std::int64_t Workload::displacement(std::int64_t call) const {
  return header_bytes() + call * call_stride();
}

}  // namespace headrace::workload
