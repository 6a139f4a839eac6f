// How large a layout is: the number of its nodes and list entries.
#pragma once

#include <cstdint>
#include <variant>

#include "plan/layout.hpp"

namespace headrace::test {

inline std::int64_t node_count(const plan::LayoutPtr& layout) {
  if (!layout) return 0;
  std::int64_t nodes = 1;
  if (const auto* repeat = std::get_if<plan::Repeat>(&layout->node())) {
    nodes += node_count(repeat->child);
  } else if (const auto* blocks = std::get_if<plan::BlockList>(&layout->node())) {
    nodes += blocks->size();
  } else if (const auto* interleaved = std::get_if<plan::Interleaved>(&layout->node())) {
    nodes += static_cast<std::int64_t>(interleaved->strides.size());
  } else if (const auto* sequence = std::get_if<plan::Sequence>(&layout->node())) {
    for (const plan::LayoutPtr& child : sequence->children) nodes += node_count(child);
  }
  return nodes;
}

}  // namespace headrace::test
