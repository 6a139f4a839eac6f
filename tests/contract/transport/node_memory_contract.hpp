// The contract of node memory as tests, run over every implementation. An implementation gives its
// worlds by INSTANTIATE_TEST_SUITE_P(name, NodeMemoryContract, testing::Values(world, ...)).
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "transport/node_memory.hpp"

namespace headrace::test {

struct NodeWorld {
  std::string name;
  /// Runs `body` on every rank of a new node; returns once this process's ranks have done it.
  /// Collective where the world is made of processes.
  std::function<void(const std::function<void(transport::NodeMemory&)>& body)> run;
};

/// How GoogleTest shows a world.
inline void PrintTo(const NodeWorld& world, std::ostream* out) {
  *out << world.name;
}

class NodeMemoryContract : public testing::TestWithParam<NodeWorld> {};

inline std::string node_world_name(const testing::TestParamInfo<NodeWorld>& info) {
  return info.param.name;
}

}  // namespace headrace::test
