#include "engine/message_buffers.hpp"

#include <utility>
namespace headrace::engine {

/// The shortest of those that are long enough, and not more than twice as long as is needed.
MessageBuffers::Buffer MessageBuffers::take(std::size_t bytes) {
  const std::size_t wanted = (bytes + least_kept - 1) / least_kept * least_kept;
  auto best = kept_.end();
  for (auto each = kept_.begin(); each != kept_.end(); ++each)
    if (each->bytes >= wanted && each->bytes / 2 <= wanted &&
        (best == kept_.end() || each->bytes < best->bytes))
      best = each;
  if (best == kept_.end()) {
    const std::size_t length = bytes < least_kept ? bytes : wanted;
    return {std::make_unique_for_overwrite<std::byte[]>(length).release(), Return(*this, length)};
  }
  Kept taken = std::move(*best);
  kept_.erase(best);
  kept_bytes_ -= taken.bytes;
  return {taken.memory.release(), Return(*this, taken.bytes)};
}

void MessageBuffers::Return::operator()(std::byte* memory) const {
  owner_->keep({std::unique_ptr<std::byte[]>(memory), bytes_});
}

void MessageBuffers::keep(Kept buffer) {
  if (buffer.bytes < least_kept || buffer.bytes > most_kept) return;
  kept_bytes_ += buffer.bytes;
  kept_.push_back(std::move(buffer));
  for (; kept_bytes_ > most_kept; kept_.pop_front()) kept_bytes_ -= kept_.front().bytes;
}

}  // namespace headrace::engine
