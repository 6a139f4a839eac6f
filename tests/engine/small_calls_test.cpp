// Calls of few bytes on one node: served within the agreement on what they are.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "base/log.hpp"
#include "engine/board.hpp"
#include "engine/collective_file.hpp"
#include "storage/memory/memory_storage.hpp"
#include "support/interleaved_call.hpp"
#include "support/thread_team.hpp"

namespace headrace::engine {
namespace {

using report::Counter;

constexpr int ranks = 5;
const std::set ok{ErrorClass::ok};

/// A storage that only so many can open.
std::atomic<int> opens_left = 0;
Result<std::unique_ptr<storage::Storage>> open_few(const std::string& path, storage::Access access,
                                                   std::uint64_t inode) {
  if (opens_left.fetch_sub(1) <= 0) return Status(ErrorClass::io, "no file descriptor is free");
  return storage::open_memory(path, access, inode);
}

/// A rank's part; it fills the buffer.
using MakeCall = std::function<Call(int rank, std::vector<std::byte>& buffer)>;

MakeCall interleaved(const test::Interleaving& all) {
  return [all](int rank, std::vector<std::byte>& buffer) {
    return test::interleaved_call(all, rank, buffer);
  };
}

/// So many single bytes at distances that do not recur.
MakeCall scattered(std::int64_t bytes) {
  return [bytes](int rank, std::vector<std::byte>& buffer) {
    buffer.assign(static_cast<std::size_t>(bytes), std::byte{1});
    std::mt19937 random(static_cast<unsigned>(rank));
    std::vector<std::int64_t> offsets;
    for (std::int64_t at = 0; std::ssize(offsets) < bytes; at += 2 + random() % 16)
      offsets.push_back(at * ranks + rank);
    const std::vector<std::int64_t> lengths(offsets.size(), 1);
    return Call{plan::Pattern(plan::blocks(offsets, lengths)),
                plan::Pattern(plan::contiguous(bytes)), buffer.data()};
  };
}

class SmallCalls : public testing::Test {
 protected:
  struct All {
    std::set<ErrorClass> statuses;
    std::int64_t bytes;
    report::Counters counters;
    std::uint64_t agreements;  ///< of one call, when the file is in use
  };

  /// Two collective calls by all ranks, of which the second counts.
  All call(bool is_write, const MakeCall& call_of, int per_node = ranks) {
    test::ThreadTeams teams(ranks, per_node);
    All result{};
    std::mutex mutex;
    teams.run([&](Team& team) {
      CollectiveFile file(team, storage::open_memory, "/small", storage::Access::read_write,
                          FileFacts{.options = options_});
      std::vector<std::byte> buffer;
      const Call own = call_of(team.rank, buffer);
      const auto move = [&] { return is_write ? file.write_all(own) : file.read_all(own); };
      move();
      file.meet();  // now no rank is in an agreement
      const std::uint64_t before = board_of(*team.node, 0).released;
      file.meet();
      const Outcome outcome = move();
      file.meet();
      const std::uint64_t after = board_of(*team.node, 0).released;
      const std::lock_guard guard(mutex);
      EXPECT_EQ(outcome.host, Veto::none);
      EXPECT_EQ(outcome.status.ok(), outcome.status.message().empty());
      result.statuses.insert(outcome.status.error_class());
      result.bytes += outcome.bytes;
      result.agreements = after - before - 2;
      for (int i = 0; i < report::counter_count; ++i) {
        const auto counter = static_cast<Counter>(i);
        result.counters[counter] += file.counters()[counter];
      }
    });
    return result;
  }

  std::shared_ptr<storage::MemoryFile> file_ = storage::MemoryFile::create("/small");
  Options options_;
};

TEST_F(SmallCalls, take_one_agreement_and_one_access) {
  for (const bool is_write : {true, false}) {
    const std::int64_t writes = file_->calls(storage::MemoryCall::write);
    const std::int64_t reads = file_->calls(storage::MemoryCall::read);
    const All all = call(is_write, interleaved({ranks, 8, 20, 0}));
    EXPECT_EQ(all.statuses, ok);
    EXPECT_EQ(all.bytes, ranks * 8 * 20);
    EXPECT_EQ(all.agreements, 1U);
    EXPECT_EQ(all.counters[Counter::small_calls], 2 * ranks);
    EXPECT_EQ(all.counters[Counter::requests_before], 2 * ranks * 20);
    EXPECT_EQ(all.counters[Counter::requests_after], 2);
    EXPECT_EQ(file_->calls(storage::MemoryCall::write) - writes, is_write ? 2 : 0);
    EXPECT_EQ(file_->calls(storage::MemoryCall::read) - reads, is_write ? 0 : 2);
  }
}

TEST_F(SmallCalls, are_no_others) {
  const MakeCall small = interleaved({ranks, 8, 20, 0});
  const auto is_small = [this](const MakeCall& call_of, int per_node = ranks) {
    return call(true, call_of, per_node).counters[Counter::small_calls] > 0;
  };
  EXPECT_TRUE(is_small(small));
  EXPECT_FALSE(is_small(small, 3)) << "on two nodes";
  EXPECT_FALSE(is_small(interleaved({ranks, 8, 2, 10'000}))) << "far apart";
  EXPECT_FALSE(is_small(interleaved({ranks, 1024, 4, 0}))) << "too much of a rank";
  EXPECT_TRUE(is_small(scattered(700)));
  EXPECT_FALSE(is_small(scattered(900))) << "too much of a rank, with its list";
  options_.method = Method::tam;
  EXPECT_FALSE(is_small(small));
  options_.method = Method::automatic;
  options_.schedule = Schedule::mdf;
  EXPECT_FALSE(is_small(small));
  options_.schedule = Schedule::offset;
  options_.no_indep_rw = true;
  EXPECT_FALSE(is_small(small));
}

TEST_F(SmallCalls, that_fail_fail_on_every_rank) {
  const MakeCall with_holes = interleaved({ranks, 8, 20, 4});
  ASSERT_EQ(call(true, with_holes).statuses, ok);
  const auto fail_next = [this, with_holes](bool is_write, storage::MemoryCall kind) {
    LogCapture log;
    file_->fail(kind, file_->calls(kind) + 2, EIO);
    const All all = call(is_write, with_holes);
    file_->fail(kind, 0, 0);
    EXPECT_EQ(all.statuses, std::set{ErrorClass::io});
    EXPECT_EQ(all.counters[Counter::small_calls], 2 * ranks);
    EXPECT_EQ(log.messages().size(), 1U) << "said once, by the rank that saw it";
    EXPECT_EQ(call(is_write, with_holes).statuses, ok);
  };
  fail_next(true, storage::MemoryCall::write);
  fail_next(true, storage::MemoryCall::read);
  fail_next(true, storage::MemoryCall::lock);
  fail_next(false, storage::MemoryCall::read);
}

TEST_F(SmallCalls, end_where_the_file_does) {
  file_->put(0, std::vector<std::byte>(100, std::byte{1}));
  const All all = call(false, interleaved({ranks, 8, 20, 0}));
  EXPECT_EQ(all.statuses, ok);
  EXPECT_EQ(all.bytes, 100);
}

TEST_F(SmallCalls, of_ranks_that_cannot_open_the_file_are_exchanged) {
  opens_left = 1;  // for the global aggregator
  test::ThreadTeams teams(ranks, ranks);
  std::atomic<std::int64_t> exchanged = 0;
  teams.run([&](Team& team) {
    CollectiveFile file(team, open_few, "/small", storage::Access::read_write,
                        FileFacts{.options = options_});
    file.meet();
    const Board& board = board_of(*team.node, 0);
    while (team.rank > 0 && board.arrivals <= board.released * ranks)
      std::this_thread::yield();  // so that rank 0 is not the last to come
    std::vector<std::byte> buffer;
    EXPECT_TRUE(file.write_all(interleaved({ranks, 8, 20, 0})(team.rank, buffer)).status.ok());
    exchanged += file.counters()[Counter::tam_calls];
  });
  EXPECT_EQ(exchanged, ranks);
  EXPECT_EQ(file_->size(), ranks * 8 * 20);
}

}  // namespace
}  // namespace headrace::engine
