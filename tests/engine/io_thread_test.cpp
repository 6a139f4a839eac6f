// The thread for the storage's calls.
#include "engine/io_thread.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <vector>

#include "transport/inproc/inproc_node.hpp"
#include "transport/waiter.hpp"

namespace headrace::engine {
namespace {

class Beside : public testing::Test {
 protected:
  void await(const IoThread& thread, IoThread::Job job) {
    transport::wait_until(*node_, false, [&] { return thread.is_done(job); });
  }

  std::unique_ptr<transport::NodeMemory> node_ = transport::InprocNode(1).attach(0);
};

TEST_F(Beside, jobs_are_done_one_after_another_and_seen_when_done) {
  IoThread thread(*node_);
  std::vector<int> done;
  IoThread::Job last = 0;
  for (int i = 0; i < 100; ++i) last = thread.start([&done, i] { done.push_back(i); });
  await(thread, last);
  ASSERT_EQ(done.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[i], i);
}

TEST_F(Beside, the_caller_goes_on_meanwhile) {
  IoThread thread(*node_);
  std::atomic<bool> may_end = false;
  const IoThread::Job job = thread.start([&may_end] { may_end.wait(false); });
  EXPECT_FALSE(thread.is_done(job));
  may_end = true;
  may_end.notify_one();
  await(thread, job);
}

TEST_F(Beside, the_end_waits_for_the_jobs) {
  int done = 0;
  {
    IoThread thread(*node_);
    for (int i = 0; i < 10; ++i) thread.start([&done] { ++done; });
  }
  EXPECT_EQ(done, 10);
}

TEST_F(Beside, no_signal_of_the_program_is_taken) {
  sigset_t mask;
  IoThread thread(*node_);
  await(thread, thread.start([&mask] { pthread_sigmask(SIG_SETMASK, nullptr, &mask); }));
  EXPECT_TRUE(sigismember(&mask, SIGUSR1) && sigismember(&mask, SIGINT));
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_FALSE(sigismember(&mask, SIGUSR1)) << "the caller's are as they were";
}

}  // namespace
}  // namespace headrace::engine
