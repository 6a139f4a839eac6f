// Roles as coroutines. A rank may be a member, a local aggregator and a global aggregator at once;
// each role is written as one straight line of steps, and gives way where it has to wait.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "report/phases.hpp"
#include "transport/waiter.hpp"

namespace headrace::engine {

/// A coroutine that waits for conditions. Starts when first resumed; owns its frame.
class Task {
 public:
  struct promise_type {  // NOLINT(readability-identifier-naming): the language's own name
    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    /// Only running out of memory throws in a role. A rank that dropped out of the protocol would
    /// leave its peers waiting; ending the process lets the MPI launcher end the job.
    void unhandled_exception() noexcept { std::terminate(); }

    bool (*is_ready)(void*) = nullptr;
    void* condition = nullptr;
  };
  using Handle = std::coroutine_handle<promise_type>;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool done() const { return handle_.done(); }
  /// Whether the condition that it waits for holds.
  bool ready() const {
    const promise_type& promise = handle_.promise();
    return promise.is_ready == nullptr || promise.is_ready(promise.condition);
  }
  /// Goes on until the next condition that does not hold. Precondition: it is ready, and not done.
  void resume() { handle_.resume(); }

 private:
  explicit Task(Handle handle) : handle_(handle) {}
  Handle handle_;
};

/// co_await Until{[&] { return condition; }};
template <class Predicate>
struct Until {
  Predicate predicate;

  bool await_ready() { return predicate(); }
  void await_suspend(Task::Handle waiting) {
    waiting.promise().condition = this;
    waiting.promise().is_ready = [](void* self) { return static_cast<Until*>(self)->predicate(); };
  }
  void await_resume() noexcept {}
};
template <class Predicate>
Until(Predicate) -> Until<Predicate>;

/// Runs the tasks of one rank, and sleeps when all of them wait. What a task does between two
/// conditions is charged to Phase::agree where the task says nothing else, the rest to
/// Phase::waiting.
class Scheduler {
 public:
  /// `messenger`: null where no task waits for messages. All outlive the object.
  Scheduler(transport::NodeMemory& node, transport::Messenger* messenger, report::PhaseClock& clock)
      : node_(node), messenger_(messenger), clock_(clock) {}

  void spawn(Task task) { starting_.push_back(std::move(task)); }

  /// Until every task, and every task that these spawn, is done.
  void run() {
    clock_.during(report::Phase::waiting, [this] {
      transport::wait_until(node_, messenger_ != nullptr, [this] {
        bool progress = look_at_network();
        while (step_all()) {
          progress = true;
          look_at_network();
        }
        if (tasks_.empty()) return transport::Found::everything;
        return progress ? transport::Found::something : transport::Found::nothing;
      });
    });
  }

 private:
  /// Whether anything has gone or come.
  bool look_at_network() {
    bool progress = false;
    if (messenger_ != nullptr)
      clock_.poll(report::Phase::exchange, [&] { return progress = messenger_->progress(); });
    return progress;
  }

  /// False if no task could go on.
  bool step_all() {
    for (Task& task : starting_) tasks_.push_back(std::move(task));
    starting_.clear();
    bool progress = false;
    for (std::size_t i = 0; i < tasks_.size();) {
      progress |= step(tasks_[i]);
      if (tasks_[i].done()) {
        tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    return progress || !starting_.empty();
  }

  /// False if the task still waits.
  bool step(Task& task) {
    if (!task.ready()) return false;
    clock_.during(report::Phase::agree, [&task] { task.resume(); });
    return true;
  }

  transport::NodeMemory& node_;
  transport::Messenger* messenger_;
  report::PhaseClock& clock_;
  std::vector<Task> tasks_;  // in the order of their spawning, in which they have their turns
  std::vector<Task> starting_;
};

}  // namespace headrace::engine
