// How a rank waits for shared memory and for messages at once.
#pragma once

#include <chrono>

#include "transport/messenger.hpp"
#include "transport/node_memory.hpp"

namespace headrace::transport {

/// How long a rank that also waits for messages sleeps before it looks at the network again: short
/// against a message between nodes, long against the system call. Its bell wakes it at once.
constexpr std::chrono::microseconds network_poll_interval{50};
/// A bound on every other sleep, so that a lost wake-up would cost time, not hang a program.
constexpr std::chrono::microseconds safety_interval{100'000};

/// Returns once ready() does. `polls_network`: ready() tests messages too.
template <class Predicate>
void wait_until(NodeMemory& node, bool polls_network, Predicate ready) {
  for (;;) {
    const std::uint32_t seen = node.bell();
    if (ready()) return;
    node.sleep(seen, polls_network ? network_poll_interval : safety_interval);
  }
}

}  // namespace headrace::transport
