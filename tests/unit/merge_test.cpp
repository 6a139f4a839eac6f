// The wire form and the merge, against lists made request by request.
#include "plan/merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "support/walked.hpp"

namespace headrace::plan {
namespace {

using Requests = std::vector<Extent>;

Requests decoded(std::span<const std::byte> wire) {
  Requests requests;
  RunDecoder decoder(wire);
  for (Run run; decoder.next(run);)
    for (std::int64_t i = 0; i < run.count; ++i)
      requests.push_back({run.offset + i * run.stride, run.offset + i * run.stride + run.length});
  return requests;
}

Requests coalesced(const std::set<std::int64_t>& bytes) {
  Requests requests;
  for (const std::int64_t byte : bytes) {
    if (!requests.empty() && requests.back().end == byte)
      ++requests.back().end;
    else
      requests.push_back({byte, byte + 1});
  }
  return requests;
}

/// Ascending pieces: regular stretches, irregular ones and touching ones; `spread` times as far
/// apart where they do not touch.
std::vector<Run> random_runs(std::mt19937& random, int spread = 1) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  std::vector<Run> runs;
  std::int64_t at = spread * pick(0, 20);
  for (int n = pick(0, 12); n > 0; --n) {
    Run run{at, pick(1, 6), 0, 1};
    if (pick(0, 1) == 1) {
      run.count = pick(2, 12);
      run.stride = run.length + spread * pick(0, 9);
    }
    runs.push_back(run);
    at = run.end() + (pick(0, 2) == 0 ? 0 : spread * pick(1, 15));
  }
  return runs;
}

std::vector<std::int64_t> bytes_of(const std::vector<Run>& runs) {
  std::vector<std::int64_t> bytes;
  for (const Run& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i)
      for (std::int64_t b = 0; b < run.length; ++b)
        bytes.push_back(run.offset + i * run.stride + b);
  return bytes;
}

TEST(RunCodec, what_is_encoded_comes_back_coalesced) {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    const auto runs = random_runs(random, seed % 4 == 0 ? 9000 : 1);
    RunEncoder encoder;
    for (const auto& run : runs) encoder.add(run);
    encoder.finish();
    const auto bytes = bytes_of(runs);
    const Requests expected = coalesced({bytes.begin(), bytes.end()});
    ASSERT_EQ(decoded(encoder.bytes()), expected) << seed;
    for (const int asked_for : {0, 1, 4})
      ASSERT_EQ(test::walked(RunDecoder(encoder.bytes()), asked_for), bytes) << seed;
    ASSERT_EQ(encoder.summary().requests, static_cast<std::int64_t>(expected.size()));
    ASSERT_EQ(encoder.summary().data_bytes, static_cast<std::int64_t>(bytes.size()));
    const Extent span =
        expected.empty() ? Extent{} : Extent{expected.front().begin, expected.back().end};
    ASSERT_EQ(encoder.summary().span, span);
    const RunEncoder again(encoder.bytes());
    ASSERT_TRUE(std::ranges::equal(again.bytes(), encoder.bytes()));
    ASSERT_EQ(again.summary().requests, encoder.summary().requests);
  }
}

/// In the wire form of these, behind the summary.
std::size_t bytes_of_runs(const RunEncoder& encoder) {
  return encoder.bytes().size() - sizeof(ListSummary);
}

std::size_t encoded_bytes(const Requests& requests) {
  RunEncoder encoder;
  for (const Extent& request : requests) encoder.add(request.begin, request.length());
  encoder.finish();
  EXPECT_EQ(decoded(encoder.bytes()), requests);
  return bytes_of_runs(encoder);
}

TEST(RunCodec, nothing_takes_no_bytes) {
  RunEncoder encoder;
  encoder.finish();
  EXPECT_TRUE(encoder.bytes().empty());
  EXPECT_EQ(summary_of({}).requests, 0);
  EXPECT_TRUE(decoded({}).empty());
  EXPECT_TRUE(RunEncoder(encoder.bytes()).bytes().empty());
}

TEST(RunCodec, a_regular_pattern_of_any_length_takes_nine_words) {
  for (const std::int64_t count : {9, 1'000'000}) {
    Requests requests;
    for (std::int64_t i = 0; i < count; ++i) requests.push_back({i * 100, i * 100 + 8});
    EXPECT_EQ(encoded_bytes(requests), 36U) << count;
    RunEncoder encoder;
    encoder.add({0, 8, 100, count});
    encoder.finish();
    EXPECT_EQ(bytes_of_runs(encoder), 36U) << count;
    EXPECT_EQ(encoder.summary().requests, count);
  }
}

TEST(RunCodec, large_pieces_and_distant_ones_at_one_stride_are_a_run) {
  for (const std::int64_t length : {8, 100'000}) {
    Requests requests;
    for (std::int64_t i = 0; i < 1000; ++i)
      requests.push_back({i * 1'000'000, i * 1'000'000 + length});
    EXPECT_LE(encoded_bytes(requests), 40U) << length;
  }
}

TEST(RunCodec, pieces_that_are_made_of_touching_ones_are_a_run) {
  RunEncoder encoder;
  for (std::int64_t i = 0; i < 1000; ++i)
    for (std::int64_t part = 0; part < 3; ++part) encoder.add(i * 100 + part * 4, 4);
  encoder.finish();
  EXPECT_EQ(encoder.summary().requests, 1000);
  EXPECT_EQ(bytes_of_runs(encoder), 36U);
}

TEST(RunCodec, a_piece_takes_a_word_and_a_long_or_distant_one_five) {
  constexpr std::int64_t limit = 65536;
  EXPECT_EQ(encoded_bytes({{0, 8}, {9, 13}, {20, 30}}), 12U);
  EXPECT_EQ(encoded_bytes({{limit - 1, 2 * limit - 2}}), 4U);
  EXPECT_EQ(encoded_bytes({{0, limit}}), 20U);
  EXPECT_EQ(encoded_bytes({{limit, limit + 1}}), 20U);
  const std::int64_t far = std::int64_t{1} << 60;
  EXPECT_EQ(encoded_bytes({{0, 1}, {2, far}, {far + 5, far + 6}, {2 * far, 2 * far + 1}}), 48U);
}

/// Close together, and so far apart that they are merged in order.
class MergeAtSpread : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Spreads, MergeAtSpread, testing::Values(1, 30, 5000));

TEST_P(MergeAtSpread, random_lists_give_their_union_and_every_byte_its_place) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    std::vector<RunEncoder> encoders;
    std::vector<std::vector<std::int64_t>> bytes;
    std::set<std::int64_t> all;
    for (unsigned k = 0; k < seed % 7; ++k) {
      const auto runs = random_runs(random, GetParam());
      encoders.emplace_back();
      for (const auto& run : runs) encoders.back().add(run);
      encoders.back().finish();
      bytes.push_back(bytes_of(runs));
      all.insert(bytes.back().begin(), bytes.back().end());
    }
    std::vector<std::span<const std::byte>> wires;
    for (const RunEncoder& encoder : encoders) wires.push_back(encoder.bytes());
    const Merged merged = merge(wires, true);
    ASSERT_EQ(decoded(merged.requests.bytes()), coalesced(all)) << seed;

    std::map<std::int64_t, std::int64_t> packed;  // file offset -> position in the union
    for (const std::int64_t byte : all)
      packed.emplace(byte, static_cast<std::int64_t>(packed.size()));
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      const auto positions = test::walked(RunDecoder(merged.places[k].bytes()), 0);
      std::vector<std::int64_t> expected;
      for (const std::int64_t byte : bytes[k]) expected.push_back(packed.at(byte));
      ASSERT_EQ(positions, expected) << seed << " source " << k;
    }
  }
}

TEST(Merge, requests_of_neighbours_coalesce) {
  std::vector<RunEncoder> encoders(4);
  for (int k = 0; k < 4; ++k) {
    encoders[k].add({k * 8, 8, 32, 1000});
    encoders[k].finish();
  }
  std::vector<std::span<const std::byte>> wires;
  for (const RunEncoder& encoder : encoders) wires.push_back(encoder.bytes());
  EXPECT_EQ(merge(wires, false).requests.summary().requests, 1);
}

}  // namespace
}  // namespace headrace::plan
