// The wire form of ascending requests, a list: what it amounts to, then runs, coalesced and written
// in words of four bytes, at offsets from the begin of whatever they are part of (mostly a window),
// so that it stays what it is when that moves. A list of nothing takes no bytes.
// A request of an irregular pattern takes one word, a regular run of any length nine at most. It
// is what ranks give to their local aggregators, and these to the global ones, and what data is
// copied by: variable-length integers would take two bytes or three, and twice the time to read.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "plan/pattern.hpp"

namespace headrace::plan {

/// What a list amounts to.
struct ListSummary {
  std::int64_t requests = 0;    ///< noncontiguous
  std::int64_t data_bytes = 0;  ///< that they cover
  Extent span;                  ///< from the first to the last byte; empty without requests
};

/// Of a list in wire form.
inline ListSummary summary_of(std::span<const std::byte> wire) {
  ListSummary summary;
  if (!wire.empty()) std::memcpy(&summary, wire.data(), sizeof summary);
  return summary;
}

/// A piece whose length and gap (its distance from the end of the one before) are below 2^16 is one
/// word, length << 16 | gap. What begins with less than 2^16 is long: numbers of 64 bits follow,
/// gap and length; if strided, count and the gap between two pieces.
namespace wire_form {
constexpr unsigned gap_bits = 16;
constexpr std::uint32_t gap_mask = 0xffff;
constexpr std::uint32_t first_short = 1U << gap_bits;
enum Long : std::uint32_t { piece, strided };
constexpr std::size_t summary_words = sizeof(ListSummary) / sizeof(std::uint32_t);
}  // namespace wire_form

/// Gathers ascending runs into the fewest requests and encodes them.
class RunEncoder {
 public:
  RunEncoder() = default;
  /// Finished, of a list as another one has written it.
  explicit RunEncoder(std::span<const std::byte> wire);

  /// Precondition: ascending; offset is at or after the end of all that came before.
  void add(std::int64_t offset, std::int64_t length) {
    assert(offset >= end_ && length > 0);
    if (open_.length == 0) {
      begin(offset);
    } else if (offset == end_) {
      open_.length += length;
      end_ += length;
      return;
    } else {
      put_open();
    }
    open_ = {offset - end_, length};
    end_ = offset + length;
  }
  /// Precondition: as above, and run.stride >= run.length if run.count > 1.
  void add(const Run& run);
  /// No add() after it.
  void finish();
  /// Gives back memory that it has taken to grow. For lists that are kept.
  void shrink_to_fit() { words_.shrink_to_fit(); }

  std::span<const std::byte> bytes() const noexcept { return std::as_bytes(std::span(words_)); }
  /// Once finished.
  const ListSummary& summary() const noexcept { return summary_; }

 private:
  struct Piece {
    std::int64_t gap;
    std::int64_t length;
  };
  /// Not yet in words.
  struct Strided {
    Piece first;
    std::int64_t count;
    std::int64_t gap;  // between two pieces
  };
  /// So many words of one value, and those to come, take less as a strided run.
  static constexpr int most_repeats = 8;

  void put_open() {
    ++summary_.requests;
    summary_.data_bytes += open_.length;
    if (strided_.count > 0 && join_strided(open_)) return;
    if (std::max(open_.gap, open_.length) >= wire_form::first_short) return begin_strided(open_, 1);
    const auto word = static_cast<std::uint32_t>(open_.length << wire_form::gap_bits | open_.gap);
    repeats_ = word == last_word_ ? repeats_ + 1 : 1;
    last_word_ = word;
    words_.push_back(word);
    if (repeats_ == most_repeats) take_repeats();
  }
  void begin(std::int64_t offset);
  bool join_strided(const Piece& piece);
  void begin_strided(const Piece& piece, std::int64_t count);
  void take_repeats();
  void put_strided();

  std::vector<std::uint32_t> words_;
  Piece open_{0, 0};  // the last one, which may still grow; no length before the first
  Strided strided_{{0, 0}, 0, 0};
  std::uint32_t last_word_ = 0;  // 0 where it is part of something long
  int repeats_ = 0;              // of last_word_, at the end of the words
  std::size_t short_from_ = 0;   // the words from here on are a piece each
  std::int64_t end_ = 0;         // of all that was added
  ListSummary summary_;
};

/// Reads back what a RunEncoder wrote. Does not own the bytes.
class RunDecoder {
 public:
  RunDecoder() = default;
  explicit RunDecoder(std::span<const std::byte> wire)
      : at_(wire.data() + (wire.empty() ? 0 : sizeof(ListSummary))),
        end_(wire.data() + wire.size()) {}

  /// The next run, in `run`; false at the end, and then `run` is untouched. Runs neither touch nor
  /// overlap.
  [[gnu::always_inline]] bool next(Run& run) {
    if (at_ == end_) return false;
    const std::uint32_t word = take<std::uint32_t>();
    run = word < wire_form::first_short
              ? take_long(word)
              : Run{cursor_ + (word & wire_form::gap_mask), word >> wire_form::gap_bits, 0, 1};
    cursor_ = run.end();
    return true;
  }

  /// Calls visit(offset, length) for all pieces that are left, which it takes.
  template <class Visit>
  void for_each_piece(Visit&& visit) {
    // Of its own variables, as those of the object might be what `visit` writes to.
    RunDecoder self = *this;
    while (self.at_ != end_) {
      const auto word = self.take<std::uint32_t>();
      if (word >= wire_form::first_short) {
        const std::int64_t offset = self.cursor_ + (word & wire_form::gap_mask);
        const std::int64_t length = word >> wire_form::gap_bits;
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

  /// Whether there is one piece at most. Precondition: none has been given.
  bool is_one_piece() const {
    RunDecoder ahead = *this;
    Run first;
    Run second;
    return !ahead.next(first) || (first.count == 1 && !ahead.next(second));
  }

 private:
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

}  // namespace headrace::plan
