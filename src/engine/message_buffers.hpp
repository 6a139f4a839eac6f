// The memory of messages, kept from one to the next: new memory costs page faults, which are more
// than it takes to copy them.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "base/raw_vector.hpp"

namespace headrace::engine {

/// Used by one thread at a time.
class MessageBuffers {
 public:
  using Memory = RawVector<std::byte>;

  /// Memory that goes back to where it is from; or none.
  class Buffer {
   public:
    Buffer() = default;
    Buffer(MessageBuffers& owner, Memory memory) : owner_(&owner), memory_(std::move(memory)) {}
    Buffer(Buffer&&) noexcept = default;
    Buffer& operator=(Buffer&& other) noexcept {
      std::swap(owner_, other.owner_);
      memory_.swap(other.memory_);
      return *this;
    }
    ~Buffer() {
      if (!memory_.empty()) owner_->keep(std::move(memory_));
    }

    std::byte* get() noexcept { return memory_.data(); }
    const std::byte* get() const noexcept { return memory_.data(); }

   private:
    MessageBuffers* owner_ = nullptr;
    Memory memory_;
  };

  /// Smaller ones the heap keeps itself.
  static constexpr std::size_t least_kept = 64 << 10;
  /// The most kept_bytes().
  static constexpr std::size_t most_kept = 8 << 20;

  /// At least `bytes` long; its content is unspecified. The object outlives it.
  Buffer take(std::size_t bytes);
  /// Of those that are not in use.
  std::size_t kept_bytes() const { return kept_bytes_; }

 private:
  void keep(Memory memory);

  std::deque<Memory> kept_;  // the longest unused first
  std::size_t kept_bytes_ = 0;
};

}  // namespace headrace::engine
