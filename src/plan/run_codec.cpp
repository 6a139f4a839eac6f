#include "plan/run_codec.hpp"

#include <cassert>

namespace headrace::plan {

// Wire form of a run: varint(length << 1 | strided), varint(offset - end of the run before), and if
// strided, varint(count), varint(stride - length). Varints are base 128, least significant first.

void RunEncoder::put(std::uint64_t value) {
  while (value >= 0x80) {
    wire_.push_back(static_cast<std::byte>(value | 0x80));
    value >>= 7;
  }
  wire_.push_back(static_cast<std::byte>(value));
}

void RunEncoder::flush() {
  if (pending_.count == 0) return;
  const bool strided = pending_.count > 1;
  put(static_cast<std::uint64_t>(pending_.length) << 1 | (strided ? 1 : 0));
  put(static_cast<std::uint64_t>(pending_.offset - cursor_));
  if (strided) {
    put(static_cast<std::uint64_t>(pending_.count));
    put(static_cast<std::uint64_t>(pending_.stride - pending_.length));
  }
  cursor_ = pending_.end();
  span_ = span_.empty() ? Extent{pending_.offset, cursor_} : Extent{span_.begin, cursor_};
  requests_ += pending_.count;
  data_bytes_ += pending_.bytes();
  pending_.count = 0;
}

/// The last pending piece and the first piece of `run` touch: they become one.
void RunEncoder::join(const Run& run) {
  Run last{pending_.offset + (pending_.count - 1) * pending_.stride, pending_.length, 0, 1};
  --pending_.count;
  flush();
  last.length += run.length;
  pending_ = last;
  if (run.count > 1) add({run.offset + run.stride, run.length, run.stride, run.count - 1});
}

void RunEncoder::add(Run run) {
  if (run.count > 1 && run.stride == run.length) run = {run.offset, run.bytes(), 0, 1};
  if (pending_.count == 0) {
    pending_ = run;
    return;
  }
  assert(run.offset >= pending_.end());
  if (run.offset == pending_.end()) return join(run);
  if (run.length == pending_.length) {
    const std::int64_t stride =
        pending_.count == 1 ? run.offset - pending_.offset : pending_.stride;
    if (run.offset == pending_.offset + pending_.count * stride &&
        (run.count == 1 || run.stride == stride)) {
      pending_.stride = stride;
      pending_.count += run.count;
      return;
    }
  }
  flush();
  pending_ = run;
}

RunEncoder encode_window(const Pattern& pattern, Extent window) {
  RunEncoder encoder;
  RunCursor cursor(pattern, pattern.bytes_below(window.begin), pattern.bytes_below(window.end));
  for (Run run; cursor.next(run);) {
    run.offset -= window.begin;
    encoder.add(run);
  }
  encoder.finish();
  return encoder;
}

}  // namespace headrace::plan
