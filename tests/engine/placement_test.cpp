// File domains where the data is: what then crosses between nodes.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/collective_file.hpp"
#include "storage/memory/memory_storage.hpp"
#include "support/interleaved_call.hpp"
#include "support/thread_team.hpp"

namespace headrace::engine {
namespace {

using report::Counter;
using report::Counters;

constexpr int ranks = 12;
constexpr int per_node = 3;
constexpr std::int64_t cell = 4096;  // a page

class Placement : public testing::TestWithParam<Method> {
 protected:
  /// Of all ranks, after calls with this interleaving, each behind the one before: writes, then
  /// reads of the same; every byte of both is compared.
  Counters count(FileDomains domains, const test::Interleaving& interleaving,
                 std::int64_t buffer = 64 * cell) {
    constexpr int calls = 2;
    Options options;
    options.method = GetParam();
    options.file_domains = domains;
    options.cb_buffer_size = buffer;
    Counters totals;
    teams_.run([&](Team& team) {
      CollectiveFile file(team, storage::open_memory, "/placement", storage::Access::read_write,
                          FileFacts{.options = options});
      const std::int64_t length = interleaving.pieces * ranks * interleaving.piece;
      for (const bool is_write : {true, false})
        for (int number = 0; number < calls; ++number) {
          test::Interleaving moved = interleaving;
          moved.begin = number * length;
          std::vector<std::byte> buffer;
          const Call call = test::interleaved_call(moved, team.rank, buffer);
          const std::vector<std::byte> expected = buffer;
          if (!is_write) std::ranges::fill(buffer, std::byte{0});
          const Outcome outcome = is_write ? file.write_all(call) : file.read_all(call);
          EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
          EXPECT_EQ(outcome.bytes, std::ssize(buffer));
          EXPECT_TRUE(buffer == expected);
        }
      const Counters all = file.total_counters();
      if (team.rank == 0) totals = all;
    });
    const std::vector<std::byte> written = file_->bytes();
    EXPECT_EQ(std::ssize(written), calls * interleaving.pieces * ranks * interleaving.piece);
    for (std::size_t i = 0; i < written.size(); ++i) {
      const auto owner = static_cast<std::int64_t>(i) / interleaving.piece % ranks;
      EXPECT_EQ(written[i], static_cast<std::byte>(owner + 1)) << i;
    }
    return totals;
  }

  test::ThreadTeams teams_{ranks, per_node};
  std::shared_ptr<storage::MemoryFile> file_ = storage::MemoryFile::create("/placement");
};

// Arrays, one after another, of which each rank has a block: a node's blocks lie side by side.
TEST_P(Placement, data_that_a_node_has_itself_crosses_no_network) {
  const test::Interleaving blocks{ranks, 2 * cell, 5, 0};
  const Counters even = count(FileDomains::even, blocks);
  const Counters local = count(FileDomains::local, blocks);
  EXPECT_GT(even[Counter::message_bytes], even[Counter::bytes_written]);
  EXPECT_EQ(local[Counter::message_bytes], 0);
  EXPECT_EQ(local[Counter::plans_reused], 3 * ranks);
}

TEST_P(Placement, what_a_node_has_here_and_there_is_served_at_one_time) {
  const test::Interleaving blocks{ranks, 2 * cell, 5, 0};
  constexpr int nodes = ranks / per_node;
  EXPECT_EQ(count(FileDomains::local, blocks)[Counter::rounds], 4 * nodes)
      << "five pieces of six cells, which a buffer holds: one window a call";
  EXPECT_EQ(count(FileDomains::local, blocks, 16 * cell)[Counter::rounds], 4 * 2 * nodes)
      << "fifteen cells, and two gaps";
}

TEST_P(Placement, blocks_that_do_not_end_with_cells_cross_at_their_ends_alone) {
  const test::Interleaving blocks{ranks, 2 * cell + 3, 5, 0};
  const Counters even = count(FileDomains::even, blocks);
  const Counters local = count(FileDomains::local, blocks);
  EXPECT_GT(local[Counter::message_bytes], 0);
  EXPECT_LT(local[Counter::message_bytes], even[Counter::message_bytes] / 2);
}

TEST_P(Placement, data_that_all_nodes_have_alike_stays_in_even_domains) {
  const test::Interleaving scattered{ranks, 1, 4000, 0};
  constexpr std::int64_t buffer = 8192;  // cells are pages
  const Counters even = count(FileDomains::even, scattered, buffer);
  const Counters local = count(FileDomains::automatic, scattered, buffer);
  EXPECT_EQ(local[Counter::messages], even[Counter::messages]);
  EXPECT_EQ(local[Counter::message_bytes], even[Counter::message_bytes]);
}

INSTANTIATE_TEST_SUITE_P(Methods, Placement, testing::Values(Method::two_phase, Method::tam),
                         [](const auto& each) {
                           return each.param == Method::tam ? "tam" : "two_phase";
                         });

}  // namespace
}  // namespace headrace::engine
