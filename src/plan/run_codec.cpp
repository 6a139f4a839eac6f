#include "plan/run_codec.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace headrace::plan {
namespace {

/// More pieces of a run take less as a strided one, of nine words.
constexpr std::int64_t most_short_pieces = 8;

}  // namespace

Run RunDecoder::take_long(std::uint32_t form) {
  Run run;
  run.offset = cursor_ + take<std::int64_t>();
  run.length = take<std::int64_t>();
  if (form == strided) {
    run.count = take<std::int64_t>();
    run.stride = run.length + take<std::int64_t>();
  }
  return run;
}

void RunEncoder::put_piece(std::int64_t offset, std::int64_t length) {
  const std::int64_t gap = offset - cursor_;
  if (std::max(gap, length) < RunDecoder::first_short)
    words_.push_back(static_cast<std::uint32_t>(length << RunDecoder::gap_bits | gap));
  else
    put_long({offset, length, 0, 1});
  cursor_ = offset + length;
}

void RunEncoder::put_long(const Run& run) {
  const bool is_strided = run.count > 1;
  words_.push_back(is_strided ? RunDecoder::strided : RunDecoder::piece);
  const std::array<std::int64_t, 4> numbers{run.offset - cursor_, run.length, run.count,
                                            run.stride - run.length};
  const auto words = std::bit_cast<std::array<std::uint32_t, 8>>(numbers);
  words_.insert(words_.end(), words.begin(), words.begin() + (is_strided ? 8 : 4));
  cursor_ = run.end();
}

void RunEncoder::flush() {
  if (pending_.count == 0) return;
  span_ =
      span_.empty() ? Extent{pending_.offset, pending_.end()} : Extent{span_.begin, pending_.end()};
  requests_ += pending_.count;
  data_bytes_ += pending_.bytes();
  if (pending_.count <= most_short_pieces)
    pending_.for_each_piece(
        [this](std::int64_t offset, std::int64_t length) { put_piece(offset, length); });
  else
    put_long(pending_);
  pending_.count = 0;
}

void RunEncoder::begin(const Run& run) {
  flush();
  pending_ = run;
  end_ = run.end();
}

/// The last pending piece; if it is one of several it leaves them.
void RunEncoder::lengthen(std::int64_t by) {
  if (pending_.count > 1) {
    --pending_.count;
    begin({end_ - pending_.length, pending_.length, 0, 1});
  }
  pending_.length += by;
  end_ += by;
}

void RunEncoder::add(const Run& run) {
  if (run.count == 1 || run.stride == run.length) return add(run.offset, run.bytes());
  if (run.offset == end_) {
    lengthen(run.length);
    return add({run.offset + run.stride, run.length, run.stride, run.count - 1});
  }
  const bool goes_on = run.length == pending_.length &&
                       run.offset - (end_ - pending_.length) == run.stride &&
                       (pending_.count == 1 || run.stride == pending_.stride);
  if (!goes_on) return begin(run);
  pending_.stride = run.stride;
  pending_.count += run.count;
  end_ = run.end();
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
