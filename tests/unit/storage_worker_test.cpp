// Work for the storage, at once or in a thread of its own.
#include "engine/storage_worker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <semaphore>
#include <vector>

#include "transport/inproc/inproc_node.hpp"
#include "transport/waiter.hpp"

namespace headrace::engine {
namespace {

struct OneRank {
  void wait_for(const StorageWorker& worker, StorageWorker::Turn turn) {
    transport::wait_until(*node, false, [&] { return worker.finished(turn); });
  }

  std::unique_ptr<transport::NodeMemory> node = transport::InprocNode(1).attach(0);
  report::PhaseClock clock;
};

class AnyStorageWorker : public testing::TestWithParam<bool>, public OneRank {};
INSTANTIATE_TEST_SUITE_P(All, AnyStorageWorker, testing::Bool(),
                         [](const auto& info) { return info.param ? "slow" : "quick"; });

TEST_P(AnyStorageWorker, work_is_done_in_its_order_and_then_seen) {
  StorageWorker worker(*node, clock, GetParam());
  std::vector<int> done;
  std::vector<StorageWorker::Turn> turns;
  for (int i = 0; i < 100; ++i) turns.push_back(worker.start([&done, i] { done.push_back(i); }));
  wait_for(worker, turns.back());
  EXPECT_EQ(done.size(), 100U);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  for (const auto turn : turns) EXPECT_TRUE(worker.finished(turn));
}

TEST_P(AnyStorageWorker, its_end_waits_for_what_was_started) {
  int done = 0;
  {
    StorageWorker worker(*node, clock, GetParam());
    for (int i = 0; i < 10; ++i) worker.start([&done] { ++done; });
  }
  EXPECT_EQ(done, 10);
}

TEST(StorageWorker, keeps_no_rank_from_its_work_where_the_storage_is_slow) {
  OneRank rank;
  StorageWorker worker(*rank.node, rank.clock, true);
  std::binary_semaphore may_go_on{0};
  const auto turn = worker.start([&] { may_go_on.acquire(); });
  EXPECT_FALSE(worker.finished(turn));
  may_go_on.release();
  rank.wait_for(worker, turn);
}

}  // namespace
}  // namespace headrace::engine
