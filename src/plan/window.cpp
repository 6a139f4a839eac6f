#include "plan/window.hpp"

#include <algorithm>

namespace headrace::plan {
namespace {

/// Tells of offsets that ascend what bytes_below() does, sooner.
class Below {
 public:
  explicit Below(const Pattern& pattern) : pattern_(pattern) {}
  std::int64_t operator()(std::int64_t offset) { return pattern_.bytes_below(offset, &near_); }
  Extent in(const Extent& file) {
    const std::int64_t begin = (*this)(file.begin);
    return {begin, (*this)(file.end)};
  }

 private:
  const Pattern& pattern_;
  std::size_t near_ = 0;
};

void join(std::vector<Extent>& stream, const Extent& part) {
  if (part.empty()) return;
  if (!stream.empty() && stream.back().end == part.begin)
    stream.back().end = part.end;
  else
    stream.push_back(part);
}

}  // namespace

std::vector<Extent> stream_in(const Pattern& pattern, const Window& window, std::int64_t limit) {
  std::vector<Extent> stream;
  Below below(pattern);
  for (const Window::Piece& piece : window.pieces()) {
    if (piece.file.begin >= limit) break;
    join(stream, below.in({piece.file.begin, std::min(piece.file.end, limit)}));
  }
  return stream;
}

WindowPart part_in(const Pattern& pattern, const Window& window) {
  WindowPart part;
  Below below(pattern);
  for (const Window::Piece& piece : window.pieces()) {
    const std::int64_t shift = piece.offset - piece.file.begin;
    const Extent stream = below.in(piece.file);
    RunCursor cursor(pattern, stream.begin, stream.end);
    cursor.for_each([&](std::int64_t offset,
                        std::int64_t length) { part.requests.add(offset + shift, length); },
                    [&](Run run) {
                      run.offset += shift;
                      part.requests.add(run);
                    });
    join(part.stream, stream);
  }
  part.requests.finish();
  return part;
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
  Cuts cuts;
  Below below(pattern);
  std::uint64_t bit = 1;
  for (const Window::Piece& piece : window.pieces()) {
    const Extent around = below.in({piece.file.begin - 1, piece.file.begin + 1});
    const bool has_both = around.length() > 1;
    const bool has_before = has_both || (!around.empty() && below(piece.file.begin) > around.begin);
    if (has_before) cuts.before |= bit;
    if (has_both || (!around.empty() && !has_before)) cuts.behind |= bit;
    bit <<= 1U;
  }
  return cuts;
}

}  // namespace headrace::plan
