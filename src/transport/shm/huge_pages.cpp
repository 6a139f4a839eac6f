#include "transport/shm/huge_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>

#include "base/round.hpp"
#include "transport/shm/mapping.hpp"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // of Linux 6.1, newer than many headers
#endif

namespace headrace::transport {
namespace {

constexpr auto huge_page = static_cast<std::int64_t>(huge_page_bytes);

/// A huge page takes about 200 us, what it replaces ten times as long. Where memory is in small
/// pieces the kernel moves other pages away first, which may take much longer.
constexpr auto slow = std::chrono::milliseconds(2);  // of the processor
/// So many are waited for, then this process does without.
constexpr int most_slow = 4;
std::atomic<int> slow_ones = 0;

bool are_to_be_had() {
  return slow_ones < most_slow;
}

/// Of this thread: others may have its core meanwhile.
std::chrono::nanoseconds processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// The kernel makes a huge page of small ones, of which it wants to see one.
bool back_one(int fd, std::int64_t offset) {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  if (posix_fallocate(fd, offset + huge_page - page, page) != 0) return false;
  const Mapping mapping(fd, offset, huge_page_bytes, Mapping::Pages::on_touch);
  return mapping.data() != nullptr && madvise(mapping.data(), huge_page_bytes, MADV_COLLAPSE) == 0;
}

}  // namespace

std::int64_t rounded_for_huge_pages(std::int64_t bytes) {
  const std::int64_t rounded = round_up(bytes, huge_page);
  return are_to_be_had() && rounded - bytes <= huge_page / 2 ? rounded : bytes;
}

void back_with_huge_pages(int fd, std::int64_t offset, std::int64_t bytes) {
  const std::int64_t end = round_down(offset + bytes, huge_page);
  for (std::int64_t at = round_down(offset, huge_page); at < end && are_to_be_had();
       at += huge_page) {
    const auto begin = processor_time();
    if (!back_one(fd, at))
      slow_ones = most_slow;
    else if (processor_time() - begin > slow)
      ++slow_ones;
  }
}

}  // namespace headrace::transport
