// Windows of several pieces, against lists made byte by byte.
#include "plan/window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/walked.hpp"

namespace headrace::plan {
namespace {

using Bytes = std::vector<std::int64_t>;

/// A window, some blocks, and which bytes of the file these are.
class Case {
 public:
  explicit Case(unsigned seed) : random_(seed) {
    std::int64_t end = pick(0, 20);
    for (int pieces = pick(1, 6); pieces > 0; --pieces) {
      const std::int64_t begin = end + pick(1, 200);
      end = begin + pick(1, 150);
      window_.add({begin, end});
    }
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> lengths;
    const bool is_regular = pick(0, 1) == 1;
    const int stride = pick(2, 40);
    std::int64_t at = pick(0, 30);
    for (int blocks = pick(1, 60); blocks > 0; --blocks) {
      const int length = is_regular ? stride / 2 : pick(1, 30);
      offsets.push_back(at);
      lengths.push_back(length);
      for (int byte = 0; byte < length; ++byte) bytes_.push_back(at + byte);
      at += is_regular ? stride : length + pick(0, 30);
    }
    pattern_ = Pattern(blocks(offsets, lengths));
  }

  const Window& window() const { return window_; }
  const Pattern& pattern() const { return pattern_; }
  bool has(std::int64_t byte) const { return std::ranges::binary_search(bytes_, byte); }

  /// Of the pattern's bytes in a piece, at distances from its begin.
  Bytes in(const Window::Piece& piece) const {
    Bytes found;
    for (const std::int64_t byte : bytes_)
      if (byte >= piece.file.begin && byte < piece.file.end)
        found.push_back(byte - piece.file.begin);
    return found;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  std::mt19937 random_;
  Window window_;
  Pattern pattern_;
  Bytes bytes_;
};

constexpr unsigned cases = 3000;

TEST(Window, pieces_lie_apart_in_it) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    const Case each(seed);
    std::int64_t end = -1;
    for (const Window::Piece& piece : each.window().pieces()) {
      ASSERT_GT(piece.offset, end);
      ASSERT_EQ(piece.offset % 64, 0);
      end = piece.end();
    }
    ASSERT_EQ(each.window().length(), end);
  }
  EXPECT_EQ(Window({100, 164}).pieces()[0].offset, 0);
  EXPECT_EQ(Window::offset_behind(64), 128) << "touching is not apart";
}

TEST(Window, the_stream_in_it_ends_at_a_limit) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    const Case each(seed);
    const Extent last = each.window().pieces().back().file;
    for (const std::int64_t limit : {last.end, last.begin, (last.begin + last.end) / 2,
                                     each.window().pieces()[0].file.begin}) {
      Bytes expected;
      for (const Window::Piece& piece : each.window().pieces())
        for (const std::int64_t byte : each.in(piece))
          if (piece.file.begin + byte < limit) expected.push_back(piece.file.begin + byte);
      Bytes offsets;
      std::int64_t end = -1;
      for (const Extent& part : stream_in(each.pattern(), each.window(), limit)) {
        ASSERT_GT(part.begin, end);
        end = part.end;
        for (std::int64_t at = part.begin; at < part.end; ++at)
          offsets.push_back(each.pattern().offset_of(at));
      }
      ASSERT_EQ(offsets, expected);
    }
  }
}

TEST(Window, requests_have_window_offsets_and_end_with_their_pieces) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    const Case each(seed);
    const RunEncoder requests = encode_window(each.pattern(), each.window());
    Bytes expected;
    for (const Window::Piece& piece : each.window().pieces())
      for (const std::int64_t byte : each.in(piece)) expected.push_back(piece.offset + byte);
    ASSERT_EQ(test::walked(RunDecoder(requests.bytes()), 0), expected);
    std::int64_t begun = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      begun += i == 0 || expected[i] != expected[i - 1] + 1;
    ASSERT_EQ(requests.summary().requests, begun);
  }
}

TEST(Window, requests_are_those_of_its_pieces) {
  for (unsigned seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    const Case each(seed);
    const auto lists = by_piece(encode_window(each.pattern(), each.window()), each.window());
    ASSERT_EQ(lists.size(), each.window().pieces().size());
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const Window::Piece& piece = each.window().pieces()[i];
      ASSERT_EQ(test::walked(RunDecoder(lists[i].bytes()), 0), each.in(piece));
      const RunEncoder alone = encode_window(each.pattern(), Window(piece.file));
      ASSERT_EQ(lists[i].summary().requests, alone.summary().requests);
      ASSERT_EQ(lists[i].summary().data_bytes, alone.summary().data_bytes);
      ASSERT_EQ(lists[i].summary().span, alone.summary().span);
    }
  }
}

TEST(Cuts, are_where_a_request_goes_on_into_a_piece) {
  int cut = 0;
  for (unsigned seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    const Case each(seed);
    const Cuts cuts = cuts_of(each.pattern(), each.window());
    int expected = 0;
    for (const Window::Piece& piece : each.window().pieces())
      expected += each.has(piece.file.begin - 1) && each.has(piece.file.begin);
    ASSERT_EQ(cuts.count(), expected);
    cut += expected;
  }
  EXPECT_GT(cut, 300);
}

TEST(Cuts, of_several_ranks_join_what_lies_on_both_sides) {
  Window window({100, 200});
  window.add({300, 400});
  const auto blocks_at = [](std::int64_t offset, std::int64_t length) {
    PlacedLayout placed = contiguous(length);
    placed.offset += offset;
    return Pattern(placed);
  };
  Cuts cuts = cuts_of(blocks_at(290, 10), window);
  EXPECT_EQ(cuts.count(), 0);
  cuts |= cuts_of(blocks_at(300, 10), window);
  EXPECT_EQ(cuts.count(), 1) << "one rank up to the piece, another from there on";
  cuts |= cuts_of(blocks_at(99, 2), window);
  EXPECT_EQ(cuts.count(), 2);
  cuts |= cuts_of(blocks_at(199, 2), window);
  EXPECT_EQ(cuts.count(), 2) << "what goes out of a window begins in it";
}

}  // namespace
}  // namespace headrace::plan
