#include "engine/storage_worker.hpp"

#include <csignal>
#include <system_error>
#include <utility>

namespace headrace::engine {
namespace {

/// While it lives no signal reaches this thread, nor those that it makes in the meantime, ever: the
/// program's handlers are for the program's threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

StorageWorker::StorageWorker(transport::NodeMemory& node, report::PhaseClock& clock, bool slow)
    : node_(node), clock_(clock) {
  if (slow) start_thread();
}

void StorageWorker::start_thread() {
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread([this] { work_through(); });
  } catch (const std::system_error&) {
    // No thread more: the work is done without one.
  }
}

StorageWorker::~StorageWorker() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

StorageWorker::Turn StorageWorker::start(Work work) {
  const Turn turn = started_++;
  if (!thread_.joinable()) {
    clock_.during(report::Phase::io, work);
    done_.store(started_, std::memory_order_release);
    return turn;
  }
  {
    const std::scoped_lock lock(mutex_);
    queue_.push_back(std::move(work));
  }
  changed_.notify_one();
  return turn;
}

void StorageWorker::work_through() {
  while (const Work work = next()) {
    work();
    done_.fetch_add(1, std::memory_order_release);
    node_.ring(node_.rank());
  }
}

/// None at the end.
StorageWorker::Work StorageWorker::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ends_ || !queue_.empty(); });
  if (queue_.empty()) return nullptr;
  Work work = std::move(queue_.front());
  queue_.pop_front();
  return work;
}

}  // namespace headrace::engine
