// A bell that threads or processes sleep on: a counter of rings, by futex.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

namespace headrace::transport {

/// Who may share a bell: private futexes are cheaper, but work among the threads of one process
/// only.
enum class FutexScope : int { one_process = FUTEX_PRIVATE_FLAG, any_process = 0 };

/// Lives in zeroed memory that all its users share; wait-free but for the system calls. A cache
/// line of its own, so that ringing one rank does not slow another.
struct alignas(64) Bell {
  std::atomic<std::uint32_t> rings;
  std::atomic<std::uint32_t> sleepers;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// What the ringer wrote before a ring that is counted here is visible to the caller.
inline std::uint32_t rings_of(const Bell& bell) noexcept {
  return bell.rings.load(std::memory_order_acquire);
}

// No wake-up is lost although the ringer makes no system call when nobody sleeps: ringer and
// sleeper each write one counter and then read the other's (rings then sleepers; sleepers then
// rings), all sequentially consistent. In that single order one of the two writes comes first:
// either the ringer reads the sleeper's count and wakes it, or the sleeper's futex call, which
// reads `rings` again in the kernel, finds it changed and returns at once.

inline void ring_bell(Bell& bell, FutexScope scope) noexcept {
  bell.rings.fetch_add(1, std::memory_order_seq_cst);
  if (bell.sleepers.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, &bell.rings, FUTEX_WAKE | static_cast<int>(scope), INT_MAX, nullptr, nullptr,
          0);
}

/// Returns once the bell has rung since `seen`, or after `limit`, or early (signals).
inline void sleep_on_bell(Bell& bell, std::uint32_t seen, std::chrono::microseconds limit,
                          FutexScope scope) noexcept {
  constexpr std::int64_t second = 1'000'000;
  const timespec timeout{limit.count() / second, limit.count() % second * 1'000};
  bell.sleepers.fetch_add(1, std::memory_order_seq_cst);
  if (bell.rings.load(std::memory_order_seq_cst) == seen)
    syscall(SYS_futex, &bell.rings, FUTEX_WAIT | static_cast<int>(scope), seen, &timeout, nullptr,
            0);
  bell.sleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace headrace::transport
