// Where a global aggregator's reads and writes run: at once; or, on a storage that is slow, in a
// thread of their own, while the rank goes on filling other windows. The thread calls the storage
// and rings the rank's bell, nothing else.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "report/phases.hpp"
#include "transport/node_memory.hpp"

namespace headrace::engine {

class StorageWorker {
 public:
  using Work = std::function<void()>;
  using Turn = std::int64_t;

  /// Both outlive the object. `slow`: with a thread, unless the system refuses one.
  StorageWorker(transport::NodeMemory& node, report::PhaseClock& clock, bool slow);
  /// Waits for what was started.
  ~StorageWorker();
  StorageWorker(const StorageWorker&) = delete;
  StorageWorker& operator=(const StorageWorker&) = delete;

  /// Runs `work`, which must not throw, after all that was started before. What it uses must live,
  /// and be left alone, until it is finished.
  Turn start(Work work);
  /// With it, what the work has done is visible. The rank's bell rings when it becomes true.
  bool finished(Turn turn) const { return done_.load(std::memory_order_acquire) > turn; }

 private:
  void start_thread();
  void work_through();
  Work next();

  transport::NodeMemory& node_;
  report::PhaseClock& clock_;
  Turn started_ = 0;
  std::atomic<Turn> done_{0};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace headrace::engine
