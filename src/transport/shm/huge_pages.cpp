#include "transport/shm/huge_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
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

/// A huge page takes about 200 us of the processor, what it replaces ten times as long. Where
/// memory is in small pieces the kernel moves other pages away first, which may take much longer,
/// or fail.
constexpr auto slow = std::chrono::milliseconds(2);
/// So often that is put up with, then this process does without.
constexpr int most_disappointments = 4;
std::atomic<int> disappointments = 0;

bool are_to_be_had() {
  return disappointments < most_disappointments;
}

/// Of this thread: others may have its core meanwhile.
std::chrono::nanoseconds processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// The kernel makes a huge page of small ones, of which it wants to see one. Gives 0, or an errno.
int back_one(int fd, std::int64_t offset) {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  if (const int error = posix_fallocate(fd, offset + huge_page - page, page); error != 0)
    return error;
  const Mapping mapping(fd, offset, huge_page_bytes, Mapping::Pages::on_touch);
  if (mapping.data() == nullptr) return ENOMEM;
  return madvise(mapping.data(), huge_page_bytes, MADV_COLLAPSE) == 0 ? 0 : errno;
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
    const int error = back_one(fd, at);
    if (error == EINVAL)  // there is no such thing
      disappointments = most_disappointments;
    else if (error != 0 || processor_time() - begin > slow)
      ++disappointments;
  }
}

}  // namespace headrace::transport
