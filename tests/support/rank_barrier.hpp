// A barrier of processes that share memory. MPI_Barrier would do, but MPICH spins in it: with more
// ranks than cores every test program would spend its time there.
#pragma once

#include <linux/futex.h>
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace headrace::test {

/// Lives in shared memory that started as zeros.
class RankBarrier {
 public:
  /// Returns when `ranks` ranks have called it. Those who wait keep MPI's progress going, now and
  /// then: a send that MPI calls complete may still be queued in the sender.
  void wait(std::uint32_t ranks) noexcept {
    const std::uint32_t generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      futex(FUTEX_WAKE, INT32_MAX, nullptr);
      return;
    }
    while (generation_.load(std::memory_order_acquire) == generation) {
      const timespec patience{.tv_sec = 0, .tv_nsec = 2'000'000};
      futex(FUTEX_WAIT, generation, &patience);
      make_progress();
    }
  }

 private:
  void futex(int operation, std::uint32_t value, const timespec* timeout) noexcept {
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&generation_), operation, value, timeout,
            nullptr, 0);
  }

  static void make_progress() noexcept {
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  }

  std::atomic<std::uint32_t> arrived_;
  std::atomic<std::uint32_t> generation_;
};

}  // namespace headrace::test
