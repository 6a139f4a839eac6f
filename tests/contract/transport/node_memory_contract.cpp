#include "contract/transport/node_memory_contract.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

#include "transport/waiter.hpp"

namespace headrace::test {
namespace {

using namespace std::chrono_literals;
using transport::NodeMemory;
using transport::wait_until;
using Clock = std::chrono::steady_clock;

constexpr std::size_t large = 6'000'000;

/// The n-th 64-bit counter of the control area: zeroed memory in which atomics live.
std::atomic<std::int64_t>& counter(NodeMemory& node, int n) {
  auto* at = node.control().data() + n * sizeof(std::atomic<std::int64_t>);
  return *std::launder(reinterpret_cast<std::atomic<std::int64_t>*>(at));
}

void ring_all(NodeMemory& node) {
  for (int rank = 0; rank < node.size(); ++rank) node.ring(rank);
}

/// A barrier made of nothing but the contract; `step` counts from 1 within a test.
void meet(NodeMemory& node, int step) {
  auto& arrivals = counter(node, 0);
  arrivals.fetch_add(1);
  ring_all(node);
  wait_until(node, false, [&] { return arrivals.load() >= std::int64_t{step} * node.size(); });
}

std::byte mark(int owner, int id, std::size_t at) {
  return static_cast<std::byte>(owner * 16 + id + static_cast<int>(at / 4'096));
}

void fill(NodeMemory& node, int id, std::size_t bytes) {
  std::byte* region = node.region(node.rank(), id, bytes);
  ASSERT_NE(region, nullptr);
  for (std::size_t at = 0; at < bytes; ++at) region[at] = mark(node.rank(), id, at);
}

void expect_filled(NodeMemory& node, int owner, int id, std::size_t bytes) {
  const std::byte* region = node.region(owner, id, bytes);
  ASSERT_NE(region, nullptr);
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < bytes; ++at) wrong += region[at] != mark(owner, id, at);
  EXPECT_EQ(wrong, 0U) << "region " << id << " of rank " << owner << " seen by " << node.rank();
}

TEST_P(NodeMemoryContract, control_is_zeroed_aligned_and_large_enough) {
  GetParam().run([](NodeMemory& node) {
    const auto control = node.control();
    EXPECT_GE(control.size(), NodeMemory::control_bytes(node.size()));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(control.data()) % 64, 0U);
    EXPECT_EQ(std::ranges::count(control, std::byte{0}), std::ssize(control));
  });
}

TEST_P(NodeMemoryContract, control_is_the_same_on_every_rank) {
  GetParam().run([](NodeMemory& node) {
    counter(node, 1 + node.rank()).store(100 + node.rank());
    meet(node, 1);
    for (int rank = 0; rank < node.size(); ++rank)
      EXPECT_EQ(counter(node, 1 + rank).load(), 100 + rank);
  });
}

TEST_P(NodeMemoryContract, every_rank_sees_every_region) {
  GetParam().run([](NodeMemory& node) {
    const int last = NodeMemory::max_regions - 1;
    for (const int id : {0, last}) {
      ASSERT_TRUE(node.reserve(id, 10'000).ok());
      fill(node, id, 10'000);
    }
    meet(node, 1);
    for (int owner = 0; owner < node.size(); ++owner)
      for (const int id : {0, last}) expect_filled(node, owner, id, 10'000);
    meet(node, 2);
  });
}

TEST_P(NodeMemoryContract, a_region_is_written_by_others) {
  GetParam().run([](NodeMemory& node) {
    ASSERT_TRUE(node.reserve(2, node.size()).ok());
    meet(node, 1);
    for (int owner = 0; owner < node.size(); ++owner)
      node.region(owner, 2, node.size())[node.rank()] = static_cast<std::byte>(1 + node.rank());
    meet(node, 2);
    const std::byte* mine = node.region(node.rank(), 2, node.size());
    for (int writer = 0; writer < node.size(); ++writer)
      EXPECT_EQ(mine[writer], static_cast<std::byte>(1 + writer));
  });
}

TEST_P(NodeMemoryContract, regions_grow_and_the_growth_is_seen) {
  GetParam().run([](NodeMemory& node) {
    int step = 0;
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{70'000}, large}) {
      ASSERT_TRUE(node.reserve(1, bytes).ok());
      EXPECT_GE(node.reserved(1), bytes);
      fill(node, 1, bytes);
      meet(node, ++step);
      for (int owner = 0; owner < node.size(); ++owner) expect_filled(node, owner, 1, bytes);
      meet(node, ++step);  // nobody may use a region that grows
    }
  });
}

TEST_P(NodeMemoryContract, what_a_rank_has_reserved_is_its_own) {
  GetParam().run([](NodeMemory& node) {
    EXPECT_EQ(node.reserved(2), 0U);
    const std::size_t own = node.rank() == 0 ? 5'000 : 0;
    ASSERT_TRUE(node.reserve(2, own).ok());
    meet(node, 1);
    EXPECT_GE(node.reserved(2), own);
    EXPECT_EQ(node.reserved(2) == 0, own == 0);
  });
}

TEST_P(NodeMemoryContract, one_rank_may_grow_while_others_do_not) {
  GetParam().run([](NodeMemory& node) {
    ASSERT_TRUE(node.reserve(0, 100).ok());
    fill(node, 0, 100);
    meet(node, 1);
    for (int owner = 0; owner < node.size(); ++owner) expect_filled(node, owner, 0, 100);
    meet(node, 2);
    if (node.rank() == 0) {
      ASSERT_TRUE(node.reserve(0, large).ok());
      fill(node, 0, large);
    }
    meet(node, 3);
    expect_filled(node, 0, 0, large);
    expect_filled(node, node.size() - 1, 0, node.size() == 1 ? large : 100);
    meet(node, 4);
  });
}

TEST_P(NodeMemoryContract, a_smaller_reserve_keeps_address_and_content) {
  GetParam().run([](NodeMemory& node) {
    ASSERT_TRUE(node.reserve(3, 50'000).ok());
    fill(node, 3, 50'000);
    const std::byte* before = node.region(node.rank(), 3, 50'000);
    ASSERT_TRUE(node.reserve(3, 10).ok());
    EXPECT_EQ(node.region(node.rank(), 3, 10), before);
    expect_filled(node, node.rank(), 3, 50'000);
  });
}

TEST_P(NodeMemoryContract, too_much_memory_is_refused_and_the_node_stays_usable) {
  GetParam().run([](NodeMemory& node) {
    const Status status = node.reserve(4, std::size_t{1} << 50);
    EXPECT_EQ(status.error_class(), ErrorClass::no_memory) << status.message();
    ASSERT_TRUE(node.reserve(4, 1'000).ok());
    fill(node, 4, 1'000);
    meet(node, 1);
    for (int owner = 0; owner < node.size(); ++owner) expect_filled(node, owner, 4, 1'000);
    meet(node, 2);
  });
}

TEST_P(NodeMemoryContract, a_ring_changes_the_bell_of_its_rank_only) {
  GetParam().run([](NodeMemory& node) {
    const std::uint32_t before = node.bell();
    node.ring(node.rank());
    EXPECT_NE(node.bell(), before);
  });
  GetParam().run([](NodeMemory& node) {
    const std::uint32_t before = node.bell();
    counter(node, 1).fetch_add(1);
    while (counter(node, 1).load() < node.size()) std::this_thread::yield();
    if (node.rank() == 0) node.ring(0);
    counter(node, 2).fetch_add(1);
    while (counter(node, 2).load() < node.size()) std::this_thread::yield();
    EXPECT_EQ(node.bell() != before, node.rank() == 0);
  });
}

TEST_P(NodeMemoryContract, a_sleep_ends_at_its_limit) {
  GetParam().run([](NodeMemory& node) {
    const auto start = Clock::now();
    node.sleep(node.bell(), 20ms);
    EXPECT_LT(Clock::now() - start, 10s);
  });
}

TEST_P(NodeMemoryContract, a_bell_that_has_rung_lets_nobody_sleep) {
  GetParam().run([](NodeMemory& node) {
    const std::uint32_t seen = node.bell();
    node.ring(node.rank());
    const auto start = Clock::now();
    node.sleep(seen, 60s);
    EXPECT_LT(Clock::now() - start, 30s);
  });
}

// With sleeps that never end by themselves: one wake-up lost costs a minute, and the test its
// bound.
TEST_P(NodeMemoryContract, no_wake_up_is_lost_in_a_ping_pong) {
  GetParam().run([](NodeMemory& node) {
    constexpr std::int64_t turns = 20'000;
    auto& ball = counter(node, 1);
    const auto start = Clock::now();
    while (ball.load() < turns) {
      const std::uint32_t seen = node.bell();
      const std::int64_t turn = ball.load();
      if (turn >= turns) break;
      if (turn % node.size() != node.rank()) {
        node.sleep(seen, 60s);
        continue;
      }
      ball.store(turn + 1);
      node.ring(static_cast<int>((turn + 1) % node.size()));
    }
    ring_all(node);
    EXPECT_LT(Clock::now() - start, 50s);
  });
}

}  // namespace
}  // namespace headrace::test
