// Where the time of collective calls goes on one rank: the components of the TAM paper, section
// V-A. A rank is at any moment of a call in exactly one phase, so that the phases add up to the
// call's time.
#pragma once

#include <array>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/direction.hpp"

namespace headrace::report {

enum class Phase : int {
  agree,            ///< what belongs to no other: shape, choice of method and plan, status
  gather,           ///< requests described, and fetched inside the node
  sort,             ///< merging requests inside the node
  copy,             ///< data between a rank's buffer and shared memory
  my_requests,      ///< a local aggregator cutting its requests by file domain
  others_requests,  ///< decoding what other nodes announce
  domain_sort,      ///< merging in the file domain
  placement,        ///< the places of each rank's bytes: the paper's building of datatypes
  exchange,         ///< messages between nodes: packing, sending, receiving, unpacking
  io,               ///< system calls of the storage
  waiting,          ///< for other ranks, or for messages
  count
};
constexpr int phase_count = static_cast<int>(Phase::count);

std::string_view phase_name(Phase phase) noexcept;

/// Nanoseconds of one rank, of all its calls in one direction.
struct PhaseTimes {
  std::array<std::int64_t, phase_count> phases{};  ///< by Phase
  /// From the begin of each call to its return: the response times.
  std::int64_t total = 0;
  std::int64_t calls = 0;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();  ///< call
  std::int64_t longest = 0;
  std::int64_t operator[](Phase phase) const { return phases[static_cast<int>(phase)]; }
};

/// Nanoseconds from some beginning, never less than the time before.
using Now = std::int64_t (*)();
inline std::int64_t steady_now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

/// One rank's clock; used by one thread at a time. It costs a look at the clock for each change of
/// phase, tens of nanoseconds: for steps of a window, never for single requests.
class PhaseClock {
 public:
  explicit PhaseClock(Now now = steady_now) : now_(now) {}

  /// A call begins, in Phase::agree. The time of the call before is forgotten unless it was kept.
  void begin_call() {
    call_ = {};
    phase_ = Phase::agree;
    begun_ = last_ = now_();
  }
  /// The call is over, and was one that counts.
  void keep_call(Direction direction);

  /// What work() returns; its time belongs to `phase`, or to those that it enters in turn.
  ///
  /// There is no other way to enter a phase, on purpose: a coroutine that gives way
  /// (engine/task.hpp) would take a scope of its own with it, and be charged for the work of
  /// others. From inside `work` it cannot give way.
  template <class Work>
  auto during(Phase phase, Work work) -> std::invoke_result_t<Work> {
    static_assert(!is_coroutine<std::invoke_result_t<Work>>, "a phase must not be suspended");
    const Interruption interruption(*this, phase);
    return work();
  }

  /// What look() returns, converted to bool: whether it has found something to do, and done it. If
  /// so its time belongs to `phase`, else to the current one.
  template <class Look>
  auto poll(Phase phase, Look look) -> std::invoke_result_t<Look> {
    static_assert(!is_coroutine<std::invoke_result_t<Look>>, "a phase must not be suspended");
    charge(phase_);
    auto found = look();
    if (found) charge(phase);
    return found;
  }

  const PhaseTimes& times(Direction direction) const {
    return times_[static_cast<std::size_t>(direction)];
  }

 private:
  /// While it lives, the clock is in another phase.
  class Interruption {
   public:
    Interruption(PhaseClock& clock, Phase phase)
        : clock_(clock), interrupted_(std::exchange(clock.phase_, phase)) {
      clock_.charge(interrupted_);
    }
    ~Interruption() { clock_.charge(std::exchange(clock_.phase_, interrupted_)); }
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

   private:
    PhaseClock& clock_;
    Phase interrupted_;
  };

  template <class Result>
  static constexpr bool is_coroutine = requires {
    typename std::coroutine_traits<Result>::promise_type;
  };

  /// The time since the last charge was the phase's.
  void charge(Phase phase) {
    const std::int64_t now = now_();
    call_[static_cast<std::size_t>(phase)] += now - last_;
    last_ = now;
  }

  Now now_;
  Phase phase_ = Phase::agree;
  std::int64_t begun_ = 0;
  std::int64_t last_ = 0;
  std::array<std::int64_t, phase_count> call_{};  // the call under way
  std::array<PhaseTimes, direction_count> times_;
};

}  // namespace headrace::report
