#include "plan/window.hpp"

#include <algorithm>

namespace headrace::plan {

RunEncoder encode_window(const Pattern& pattern, const Window& window) {
  RunEncoder encoder;
  for (const Window::Piece& piece : window.pieces()) {
    const std::int64_t shift = piece.offset - piece.file.begin;
    RunCursor cursor(pattern, pattern.bytes_below(piece.file.begin),
                     pattern.bytes_below(piece.file.end));
    cursor.for_each(
        [&](std::int64_t offset, std::int64_t length) { encoder.add(offset + shift, length); },
        [&](Run run) {
          run.offset += shift;
          encoder.add(run);
        });
  }
  encoder.finish();
  return encoder;
}

std::vector<RunEncoder> by_piece(const RunEncoder& requests, const Window& window) {
  std::vector<RunEncoder> lists;
  RunDecoder decoder(requests.bytes());
  Run left{0, 0, 0, 0};  // of the run under way
  bool has_more = decoder.next(left);
  for (const Window::Piece& piece : window.pieces()) {
    RunEncoder& list = lists.emplace_back();
    while (has_more && left.offset < piece.end()) {
      Run run = left;
      if (run.count > 1)
        run.count = std::min(run.count, (piece.end() - run.offset - 1) / run.stride + 1);
      left.offset += run.count * left.stride;
      left.count -= run.count;
      if (left.count == 0) has_more = decoder.next(left);
      run.offset -= piece.offset;
      list.add(run);
    }
    list.finish();
  }
  return lists;
}

Cuts cuts_of(const Pattern& pattern, const Window& window) {
  const auto has = [&pattern](std::int64_t offset) {
    return pattern.bytes_below(offset + 1) > pattern.bytes_below(offset);
  };
  Cuts cuts;
  std::uint64_t bit = 1;
  for (const Window::Piece& piece : window.pieces()) {
    if (has(piece.file.begin - 1)) cuts.before |= bit;
    if (has(piece.file.begin)) cuts.behind |= bit;
    bit <<= 1U;
  }
  return cuts;
}

}  // namespace headrace::plan
