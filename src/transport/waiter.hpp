// How a rank waits for shared memory and for messages at once.
#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "transport/messenger.hpp"
#include "transport/node_memory.hpp"

namespace headrace::transport {

/// How often a rank looks in vain before it sleeps. Between two looks it offers its core to others;
/// where nobody wants it, it sees what it waits for within a microsecond, which a sleep would make
/// up to a hundred.
constexpr int eager_looks = 64;
/// How long one that also waits for messages then sleeps before it looks at the network again:
/// short against a message between nodes, long against the system call. Its bell wakes it at once.
constexpr std::chrono::microseconds network_poll_interval{50};
/// A bound on every other sleep, so that a lost wake-up would cost time, not hang a program.
constexpr std::chrono::microseconds safety_interval{100'000};

/// What has come of what is waited for, since the last look.
enum class Found { nothing, something, everything };

inline Found as_found(Found found) {
  return found;
}
inline Found as_found(bool everything) {
  return everything ? Found::everything : Found::nothing;
}

/// How often one that waits for messages looks before it sleeps. Such a look is a call of MPI's,
/// and where messages take longer than all looks, as between windows full of data, these keep cores
/// from who is to send them. So the looks are halved each time that it slept in the end, and
/// doubled again when it need not.
class Patience {
 public:
  int looks() const noexcept { return looks_; }
  void learn(bool has_slept) noexcept {
    looks_ = has_slept ? std::max(fewest, looks_ / 2) : std::min(eager_looks, looks_ * 2);
  }

 private:
  static constexpr int fewest = 4;
  int looks_ = eager_looks;
};

/// Returns once look(), which gives Found or bool, has found everything. `polls_network`: it looks
/// for messages too.
template <class Look>
void wait_until(NodeMemory& node, bool polls_network, Look look) {
  static thread_local Patience patience;  // of each place that waits
  for (int in_vain = 0;;) {
    const std::uint32_t seen = node.bell();
    const Found found = as_found(look());
    const int looks = polls_network ? patience.looks() : eager_looks;
    if (polls_network && found != Found::nothing) patience.learn(in_vain >= looks);
    if (found == Found::everything) return;
    in_vain = found == Found::something ? 0 : in_vain + 1;
    if (in_vain < looks)
      sched_yield();
    else
      node.sleep(seen, polls_network ? network_poll_interval : safety_interval);
  }
}

}  // namespace headrace::transport
