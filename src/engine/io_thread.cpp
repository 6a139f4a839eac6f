#include "engine/io_thread.hpp"

#include <csignal>
#include <system_error>
#include <utility>

namespace headrace::engine {
namespace {

/// While it lives, this thread and those that it starts take no signals: handlers are the
/// program's, and it knows its own threads only.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

IoThread::IoThread(transport::NodeMemory& node) : node_(node) {
  const NoSignals none;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    // As the constructor says.
  }
}

IoThread::~IoThread() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

IoThread::Job IoThread::start(std::function<void()> work) {
  ++started_;
  if (!thread_.joinable()) {
    work();
    finish_one();
    return started_;
  }
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
  return started_;
}

void IoThread::finish_one() {
  done_.fetch_add(1, std::memory_order_release);
  node_.ring(node_.rank());
}

void IoThread::work() {
  for (;;) {
    std::function<void()> next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_closing_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    next();
    finish_one();
  }
}

}  // namespace headrace::engine
