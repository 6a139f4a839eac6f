// Points that all ranks pass, and who waits for whom at them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "engine/collective_file.hpp"
#include "storage/memory/memory_storage.hpp"
#include "support/interleaved_call.hpp"
#include "support/thread_team.hpp"

namespace headrace::engine {
namespace {

constexpr int ranks = 6;

/// Ranks with one file at a time.
class Ranks {
 public:
  explicit Ranks(int per_node) : teams_(ranks, per_node) {}

  template <class Body>
  void on_all(Body body) {
    teams_.run([&](Team& team) {
      CollectiveFile file(team, storage::open_memory, "/passing", storage::Access::read_write, {});
      body(team, file);
      file.meet();
    });
  }

 private:
  test::ThreadTeams teams_;
  std::shared_ptr<storage::MemoryFile> file_ = storage::MemoryFile::create("/passing");
};

class Passing : public testing::TestWithParam<int>, protected Ranks {
 protected:
  Passing() : Ranks(GetParam()) {}
};

/// Many times, so that a rank that did not wait would be found out.
TEST_P(Passing, who_waits_finds_that_all_have_passed) {
  std::atomic<int> done = 0;
  on_all([&](Team& team, CollectiveFile& file) {
    for (int turn = 1; turn <= 50; ++turn) {
      if (team.rank == turn % ranks) std::this_thread::sleep_for(std::chrono::microseconds(200));
      ++done;
      file.pass();
      file.wait_for_passing();
      EXPECT_GE(done, turn * ranks) << "rank " << team.rank;
    }
  });
}

/// On one node all but the last rank pass two points before that one comes.
TEST(PassingOnOneNode, nobody_waits) {
  std::atomic<int> through = 0;
  Ranks(ranks).on_all([&](Team& team, CollectiveFile& file) {
    while (team.rank == ranks - 1 && through < ranks - 1) std::this_thread::yield();
    file.pass();
    file.pass();
    ++through;
    file.wait_for_passing();
    EXPECT_GE(through, ranks - 1);
  });
}

/// A call needs no meeting before it, and is one.
TEST_P(Passing, calls_go_on_between_points) {
  on_all([&](Team& team, CollectiveFile& file) {
    for (int turn = 0; turn < 20; ++turn) {
      std::vector<std::byte> written;
      std::vector<std::byte> read;
      file.pass();
      EXPECT_TRUE(file.write_all(test::interleaved_call({ranks, 16, 40, 0}, team.rank, written))
                      .status.ok());
      file.pass();
      const Call call = test::interleaved_call({ranks, 16, 40, 0}, team.rank, read);
      std::ranges::fill(read, std::byte{0});
      EXPECT_EQ(file.read_all(call).bytes, std::ssize(read));
      EXPECT_EQ(read, written);
      if (turn % 3 == team.rank % 3) file.wait_for_passing();
    }
  });
}

/// A file that follows on the same team begins where the one before ended.
TEST_P(Passing, goes_on_in_the_next_file) {
  std::atomic<int> done = 0;
  for (int file = 1; file <= 3; ++file)
    on_all([&](Team& team, CollectiveFile& opened) {
      if (team.rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++done;
      opened.pass();
      opened.wait_for_passing();
      EXPECT_GE(done, file * ranks) << "rank " << team.rank;
    });
}

INSTANTIATE_TEST_SUITE_P(RanksPerNode, Passing, testing::Values(1, 2, ranks));

}  // namespace
}  // namespace headrace::engine
