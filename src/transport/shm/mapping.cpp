#include "transport/shm/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "base/round.hpp"

namespace headrace::transport {
namespace {

/// `bytes` of addresses that are nobody else's, from a multiple of huge_page_bytes on; nullptr if
/// there are none.
std::byte* aligned_addresses(std::size_t bytes) {
  const auto used =
      static_cast<std::size_t>(round_up(static_cast<std::int64_t>(bytes), sysconf(_SC_PAGESIZE)));
  const std::size_t all = used + huge_page_bytes;
  void* at = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(at);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(at) % huge_page_bytes;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + used, huge_page_bytes - before);
  return begin + before;
}

}  // namespace

Mapping::Mapping(int fd, std::int64_t offset, std::size_t bytes, Pages pages) noexcept {
  void* wanted = nullptr;
  int flags = MAP_SHARED | (pages == Pages::mapped ? MAP_POPULATE : 0);
  if (bytes >= huge_page_bytes && offset % std::int64_t{huge_page_bytes} == 0) {
    wanted = aligned_addresses(bytes);
    if (wanted == nullptr) return;
    flags |= MAP_FIXED;
  }
  void* const at = mmap(wanted, bytes, PROT_READ | PROT_WRITE, flags, fd, offset);
  if (at == MAP_FAILED) {
    if (wanted != nullptr) munmap(wanted, bytes);
    return;
  }
  data_ = static_cast<std::byte*>(at);
  bytes_ = bytes;
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace headrace::transport
