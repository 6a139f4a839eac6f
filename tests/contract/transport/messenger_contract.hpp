// The contract of a messenger as tests, run over every implementation. An implementation gives its
// worlds by INSTANTIATE_TEST_SUITE_P(name, MessengerContract, testing::Values(world, ...)).
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "transport/messenger.hpp"

namespace headrace::test {

/// What one rank's part of a test is given.
struct MessengerRank {
  transport::Messenger& messenger;
  bool is_leader;
  int leaders;  ///< how many there are
};

struct MessengerWorld {
  std::string name;
  /// Runs `body` on every rank, each with a new messenger; returns once this process's ranks have
  /// done it. Collective where the world is made of processes.
  std::function<void(const std::function<void(MessengerRank)>& body)> run;
};

/// How GoogleTest shows a world.
inline void PrintTo(const MessengerWorld& world, std::ostream* out) {
  *out << world.name;
}

class MessengerContract : public testing::TestWithParam<MessengerWorld> {};

inline std::string messenger_world_name(const testing::TestParamInfo<MessengerWorld>& info) {
  return info.param.name;
}

}  // namespace headrace::test
