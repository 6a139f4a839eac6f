// RAII for a mapped part of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace headrace::transport {

/// Of most machines; where it is another nothing but speed is lost.
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// Owns a shared, writable mapping, or none.
class Mapping {
 public:
  enum class Pages {
    mapped,   ///< at once: the bytes have their memory already
    on_touch  ///< one by one, when they are touched
  };

  Mapping() noexcept = default;
  /// Maps the file's bytes [offset, offset + bytes); none if that is refused. An offset that is a
  /// multiple of huge_page_bytes lies at an address that is one too, if a huge page fits. The
  /// descriptor may be closed afterwards.
  Mapping(int fd, std::int64_t offset, std::size_t bytes, Pages pages = Pages::mapped) noexcept;
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();

  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace headrace::transport
