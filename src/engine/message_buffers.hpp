// The memory of messages, kept from one to the next: new memory costs a page fault for each 4 KiB
// of it, which is more than it takes to copy them.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

namespace headrace::engine {

/// Used by one thread at a time.
class MessageBuffers {
 public:
  class Return;
  /// Its content is unspecified. Goes back to where it is from.
  using Buffer = std::unique_ptr<std::byte[], Return>;

  /// Smaller ones the heap keeps itself.
  static constexpr std::size_t least_kept = 64 << 10;
  /// The most kept_bytes().
  static constexpr std::size_t most_kept = 16 << 20;

  /// At least `bytes` long. The object outlives it.
  Buffer take(std::size_t bytes);
  /// Of those that are not in use.
  std::size_t kept_bytes() const { return kept_bytes_; }

  class Return {
   public:
    Return() = default;
    Return(MessageBuffers& owner, std::size_t bytes) : owner_(&owner), bytes_(bytes) {}
    void operator()(std::byte* memory) const;

   private:
    MessageBuffers* owner_ = nullptr;
    std::size_t bytes_ = 0;
  };

 private:
  struct Kept {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes;
  };
  void keep(Kept buffer);

  std::deque<Kept> kept_;  // the longest unused first
  std::size_t kept_bytes_ = 0;
};

}  // namespace headrace::engine
