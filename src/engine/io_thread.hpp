// A thread for the storage's calls of a global aggregator. While one of them lasts, the rank goes
// on with its other roles: the windows of other aggregators do not wait for it as a member.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "transport/node_memory.hpp"

namespace headrace::engine {

/// Used by one thread. It makes no MPI calls, and takes no signals.
class IoThread {
 public:
  /// `node`, whose bell of this rank rings after each job, outlives the object. Where the system
  /// refuses a thread, jobs are done by the caller.
  explicit IoThread(transport::NodeMemory& node);
  /// Waits for the jobs.
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  /// Jobs are done one after another. What they refer to must live until they are.
  using Job = std::int64_t;
  static constexpr Job nothing = 0;  ///< is done
  Job start(std::function<void()> work);
  /// What the job has written is then visible.
  bool is_done(Job job) const { return done_.load(std::memory_order_acquire) >= job; }

 private:
  void work();
  void finish_one();

  transport::NodeMemory& node_;
  Job started_ = 0;
  std::atomic<Job> done_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool is_closing_ = false;
  std::thread thread_;
};

}  // namespace headrace::engine
