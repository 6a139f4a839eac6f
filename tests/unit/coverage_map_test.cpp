#include "plan/coverage_map.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace headrace::plan {
namespace {

std::vector<Extent> extents_of(const RunEncoder& requests) {
  std::vector<Extent> extents;
  RunDecoder decoder(requests.bytes());
  for (Run run; decoder.next(run);)
    for (std::int64_t i = 0; i < run.count; ++i)
      extents.push_back({run.offset + i * run.stride, run.offset + i * run.stride + run.length});
  return extents;
}

void mark(CoverageMap& map, const Run& run) {
  RunEncoder encoder;
  encoder.add(run);
  encoder.finish();
  map.mark(encoder.bytes());
}

TEST(CoverageMap, pieces_that_begin_and_end_anywhere_in_a_word_are_marked) {
  constexpr std::int64_t window_begin = 1000;
  for (std::int64_t begin = 0; begin < 130; ++begin)
    for (std::int64_t length = 1; length < 200; ++length) {
      CoverageMap map({window_begin, window_begin + 400});
      mark(map, {window_begin + begin, length, 0, 1});
      const Extent piece{window_begin + begin, window_begin + begin + length};
      ASSERT_EQ(extents_of(map.requests()), std::vector{piece});
    }
}

TEST(CoverageMap, last_byte_of_the_window_counts) {
  for (const std::int64_t length : {1, 63, 64, 65, 128}) {
    CoverageMap map({0, length});
    mark(map, {0, length, 0, 1});
    const RunEncoder requests = map.requests();
    EXPECT_EQ(requests.summary().requests, 1);
    EXPECT_EQ(requests.summary().span, (Extent{0, length}));
  }
}

TEST(CoverageMap, nothing_marked_is_no_request) {
  EXPECT_EQ(CoverageMap({5, 500}).requests().summary().requests, 0);
}

TEST(CoverageMap, overlaps_count_once_and_holes_stay) {
  CoverageMap map({0, 300});
  mark(map, {10, 20, 50, 3});  // 10-30, 60-80, 110-130
  mark(map, {25, 40, 0, 1});   // 25-65
  EXPECT_EQ(extents_of(map.requests()), (std::vector<Extent>{{10, 80}, {110, 130}}));
}

TEST(CoverageMap, position_is_the_number_of_marked_bytes_below) {
  CoverageMap map({100, 1100});
  mark(map, {103, 3, 7, 140});
  map.number_bytes();
  std::int64_t below = 0;
  for (std::int64_t offset = 100; offset < 1100; ++offset) {
    ASSERT_EQ(map.position(offset), below) << offset;
    const std::int64_t at = offset - 103;
    below += at >= 0 && at % 7 < 3 && at / 7 < 140 ? 1 : 0;
  }
}

}  // namespace
}  // namespace headrace::plan
