// RAII for a mapped part of a file.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace headrace::transport {

/// Owns a shared, writable mapping, or none.
class Mapping {
 public:
  Mapping() noexcept = default;
  /// Maps the file's bytes [offset, offset + bytes), which have their memory already; none if that
  /// is refused. The descriptor may be closed afterwards.
  Mapping(int fd, std::int64_t offset, std::size_t bytes) noexcept {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);
    if (at == MAP_FAILED) return;
    data_ = static_cast<std::byte*>(at);
    bytes_ = bytes;
  }
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }

  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace headrace::transport
