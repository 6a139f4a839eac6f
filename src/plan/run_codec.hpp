// The wire form of ascending requests: runs, coalesced and written in words of four bytes, at
// offsets from the begin of whatever they are part of (mostly a window), so that it stays what it
// is when that moves.
// A request of an irregular pattern takes one word, a regular run of any length nine at most. It
// is what ranks give to their local aggregators, and these to the global ones, and what data is
// copied by: variable-length integers would take two bytes or three, and twice the time to read.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "plan/pattern.hpp"

namespace headrace::plan {

/// Gathers ascending runs into the fewest requests and encodes them.
class RunEncoder {
 public:
  /// Precondition: ascending; offset is at or after the end of all that came before.
  void add(std::int64_t offset, std::int64_t length) {
    assert(offset >= end_);
    const std::int64_t stride = offset - (end_ - pending_.length);
    if (offset == end_) {
      lengthen(length);
    } else if (length == pending_.length && (pending_.count == 1 || stride == pending_.stride)) {
      pending_.stride = stride;
      ++pending_.count;
      end_ = offset + length;
    } else {
      begin({offset, length, 0, 1});
    }
  }
  /// Precondition: as above, and run.stride >= run.length if run.count > 1.
  void add(const Run& run);
  /// No add() after it.
  void finish() { flush(); }

  std::span<const std::byte> bytes() const noexcept { return std::as_bytes(std::span(words_)); }
  /// Noncontiguous requests (after coalescing), once finished.
  std::int64_t requests() const noexcept { return requests_; }
  /// Bytes of data that the requests cover, once finished.
  std::int64_t data_bytes() const noexcept { return data_bytes_; }
  /// From the first to the last byte; empty without requests. Once finished.
  Extent span() const noexcept { return span_; }

 private:
  void begin(const Run& run);
  void lengthen(std::int64_t by);
  void flush();
  void put_piece(std::int64_t offset, std::int64_t length);
  void put_long(const Run& run);

  std::vector<std::uint32_t> words_;
  Run pending_{0, 0, 0, 0};
  std::int64_t end_ = -1;    // of pending_, or before all offsets
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
    const std::uint32_t word = take<std::uint32_t>();
    run = word < first_short ? take_long(word)
                             : Run{cursor_ + (word & gap_mask), word >> gap_bits, 0, 1};
    cursor_ = run.end();
    return true;
  }

  /// Calls visit(offset, length) for all pieces that are left, which it takes.
  template <class Visit>
  void for_each_piece(Visit visit) {
    // Of its own variables, as those of the object might be what `visit` writes to.
    RunDecoder self = *this;
    while (self.at_ != end_) {
      const auto word = self.take<std::uint32_t>();
      if (word >= first_short) {
        const std::int64_t offset = self.cursor_ + (word & gap_mask);
        const std::int64_t length = word >> gap_bits;
        visit(offset, length);
        self.cursor_ = offset + length;
      } else {
        const Run run = self.take_long(word);
        run.for_each_piece(visit);
        self.cursor_ = run.end();
      }
    }
    *this = self;
  }

 private:
  friend class RunEncoder;

  // A piece whose length and gap (its distance from the end of the one before) are below 2^16 is
  // one word, length << 16 | gap. What begins with less than 2^16 is long: 64 bits each, gap and
  // length; if strided, count and the gap between two pieces.
  static constexpr unsigned gap_bits = 16;
  static constexpr std::uint32_t gap_mask = 0xffff;
  static constexpr std::uint32_t first_short = 1U << gap_bits;
  enum LongForm : std::uint32_t { piece, strided };

  template <class Number>
  Number take() {
    Number number;
    std::memcpy(&number, at_, sizeof number);
    at_ += sizeof number;
    return number;
  }
  Run take_long(std::uint32_t form);

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
