// The wire form of ascending requests: runs, coalesced and written as variable-length integers, at
// offsets from the begin of whatever they are part of (mostly a window), so that it stays what it
// is when that moves.
// A request of an irregular pattern takes two to four bytes, a regular run of any length about
// six; it is what ranks give to their local aggregators, and these to the global ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/pattern.hpp"

namespace headrace::plan {

/// Gathers ascending runs into the fewest requests and encodes them.
class RunEncoder {
 public:
  /// Precondition: ascending; run.offset is at or after the end of every run before, and
  /// run.stride >= run.length if run.count > 1.
  void add(Run run);
  /// No add() after it.
  void finish() { flush(); }

  std::span<const std::byte> bytes() const noexcept { return wire_; }
  /// Noncontiguous requests (after coalescing), once finished.
  std::int64_t requests() const noexcept { return requests_; }
  /// Bytes of data that the requests cover, once finished.
  std::int64_t data_bytes() const noexcept { return data_bytes_; }
  /// From the first to the last byte; empty without requests. Once finished.
  Extent span() const noexcept { return span_; }

 private:
  void join(const Run& run);
  void flush();
  void put(std::uint64_t value);

  std::vector<std::byte> wire_;
  Run pending_{0, 0, 0, 0};
  std::int64_t cursor_ = 0;  // the end of what is encoded
  std::int64_t requests_ = 0;
  std::int64_t data_bytes_ = 0;
  Extent span_;
};

/// Reads back what a RunEncoder wrote. Does not own the bytes.
class RunDecoder {
 public:
  RunDecoder() = default;
  explicit RunDecoder(std::span<const std::byte> wire)
      : at_(wire.data()), end_(wire.data() + wire.size()) {}

  /// The next run, in `run`; false at the end, and then `run` is untouched. Runs neither touch nor
  /// overlap.
  bool next(Run& run) {
    if (at_ == end_) return false;
    const std::uint64_t head = take();
    run.length = static_cast<std::int64_t>(head >> 1);
    run.offset = cursor_ + static_cast<std::int64_t>(take());
    run.stride = 0;
    run.count = 1;
    if ((head & 1) != 0) {
      run.count = static_cast<std::int64_t>(take());
      run.stride = run.length + static_cast<std::int64_t>(take());
    }
    cursor_ = run.end();
    return true;
  }

 private:
  std::uint64_t take() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint64_t>(*at_++);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  std::int64_t cursor_ = 0;
};

/// How many of a window's requests begin in it: one that the window's begin has cut is counted
/// where it begins. `touches_before`: the byte just before the window is asked for too.
inline std::int64_t requests_begun(const RunEncoder& requests, bool touches_before) {
  const bool is_cut = touches_before && !requests.span().empty() && requests.span().begin == 0;
  return requests.requests() - (is_cut ? 1 : 0);
}

/// The requests of `pattern` that lie in `window`, relative to its begin.
/// Precondition: pattern.monotone().
RunEncoder encode_window(const Pattern& pattern, Extent window);

}  // namespace headrace::plan
