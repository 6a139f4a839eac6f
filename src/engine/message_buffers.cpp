#include "engine/message_buffers.hpp"

namespace headrace::engine {

/// The shortest of those that are long enough, and not more than twice as long as is needed.
MessageBuffers::Buffer MessageBuffers::take(std::size_t bytes) {
  const std::size_t wanted = (bytes + least_kept - 1) / least_kept * least_kept;
  auto best = kept_.end();
  for (auto each = kept_.begin(); each != kept_.end(); ++each)
    if (each->size() >= wanted && each->size() / 2 <= wanted &&
        (best == kept_.end() || each->size() < best->size()))
      best = each;
  if (best == kept_.end()) return {*this, Memory(bytes < least_kept ? bytes : wanted)};
  Memory taken = std::move(*best);
  kept_.erase(best);
  kept_bytes_ -= taken.size();
  return {*this, std::move(taken)};
}

void MessageBuffers::keep(Memory memory) {
  if (memory.size() < least_kept || memory.size() > most_kept) return;
  kept_bytes_ += memory.size();
  kept_.push_back(std::move(memory));
  for (; kept_bytes_ > most_kept; kept_.pop_front()) kept_bytes_ -= kept_.front().size();
}

}  // namespace headrace::engine
