#include "plan/run_codec.hpp"

#include <array>
#include <bit>

namespace headrace::plan {

Run RunDecoder::take_long(std::uint32_t form) {
  Run run;
  run.offset = cursor_ + take<std::int64_t>();
  run.length = take<std::int64_t>();
  if (form == wire_form::strided) {
    run.count = take<std::int64_t>();
    run.stride = run.length + take<std::int64_t>();
  }
  return run;
}

/// True if the piece goes on with the strided run, which then has it; else that is put into words.
bool RunEncoder::join_strided(const Piece& piece) {
  if (piece.length == strided_.first.length && (strided_.count == 1 || piece.gap == strided_.gap)) {
    strided_.gap = piece.gap;
    ++strided_.count;
    return true;
  }
  put_strided();
  return false;
}

/// Of `count` pieces alike; and of the one before them if it is as long, as the distance to it is
/// theirs, too.
void RunEncoder::begin_strided(const Piece& piece, std::int64_t count) {
  strided_ = {piece, count, piece.gap};
  last_word_ = 0;
  if (count == 1 || words_.size() == short_from_ ||
      words_.back() >> wire_form::gap_bits != piece.length)
    return;
  strided_.first.gap = words_.back() & wire_form::gap_mask;
  ++strided_.count;
  words_.pop_back();
}

/// The pieces that the last words repeat.
void RunEncoder::take_repeats() {
  words_.resize(words_.size() - repeats_);
  begin_strided({last_word_ & wire_form::gap_mask, last_word_ >> wire_form::gap_bits}, repeats_);
}

void RunEncoder::put_strided() {
  if (strided_.count == 0) return;
  const bool is_one = strided_.count == 1;
  words_.push_back(is_one ? wire_form::piece : wire_form::strided);
  const std::array<std::int64_t, 4> numbers{strided_.first.gap, strided_.first.length,
                                            strided_.count, strided_.gap};
  const auto words = std::bit_cast<std::array<std::uint32_t, 8>>(numbers);
  words_.insert(words_.end(), words.begin(), is_one ? words.begin() + 4 : words.end());
  strided_.count = 0;
  short_from_ = words_.size();
}

void RunEncoder::begin(std::int64_t offset) {
  words_.resize(wire_form::summary_words);
  short_from_ = words_.size();
  summary_.span.begin = offset;
}

void RunEncoder::finish() {
  if (open_.length == 0) return;
  put_open();
  put_strided();
  summary_.span.end = end_;
  std::memcpy(words_.data(), &summary_, sizeof summary_);
}

RunEncoder::RunEncoder(std::span<const std::byte> wire)
    : words_(wire.size() / sizeof(std::uint32_t)), summary_(summary_of(wire)) {
  std::ranges::copy(wire, std::as_writable_bytes(std::span(words_)).begin());
}

void RunEncoder::add(const Run& run) {
  if (run.count == 1 || run.stride == run.length) return add(run.offset, run.bytes());
  add(run.offset, run.length);
  if (run.count <= most_repeats) {
    for (std::int64_t i = 1; i < run.count; ++i) add(run.offset + i * run.stride, run.length);
    return;
  }
  // The first may have joined the one before it, and the last may still grow: between them are
  // pieces of one kind.
  put_open();
  const Piece piece{run.stride - run.length, run.length};
  const std::int64_t between = run.count - 2;
  if (strided_.count > 0 && join_strided(piece))
    strided_.count += between - 1;
  else
    begin_strided(piece, between);
  summary_.requests += between;
  summary_.data_bytes += between * run.length;
  open_ = piece;
  end_ = run.end();
}

}  // namespace headrace::plan
