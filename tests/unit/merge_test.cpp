// The wire form and the merge, against lists made request by request.
#include "plan/merge.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

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
      run.count = pick(2, 6);
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
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const auto runs = random_runs(random);
    RunEncoder encoder;
    for (const auto& run : runs) encoder.add(run);
    encoder.finish();
    const auto bytes = bytes_of(runs);
    const Requests expected = coalesced({bytes.begin(), bytes.end()});
    ASSERT_EQ(decoded(encoder.bytes()), expected) << seed;
    ASSERT_EQ(encoder.requests(), static_cast<std::int64_t>(expected.size()));
    ASSERT_EQ(encoder.data_bytes(), static_cast<std::int64_t>(bytes.size()));
    const Extent span =
        expected.empty() ? Extent{} : Extent{expected.front().begin, expected.back().end};
    ASSERT_EQ(encoder.span(), span);
  }
}

TEST(RunCodec, a_regular_pattern_of_any_length_takes_a_few_bytes) {
  RunEncoder encoder;
  for (std::int64_t i = 0; i < 1'000'000; ++i) encoder.add({i * 100, 8, 0, 1});
  encoder.finish();
  EXPECT_LT(encoder.bytes().size(), 12U);
  EXPECT_EQ(encoder.requests(), 1'000'000);
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
      std::vector<std::int64_t> positions;
      for (const Extent& piece : decoded(merged.places[k].bytes()))
        for (std::int64_t at = piece.begin; at < piece.end; ++at) positions.push_back(at);
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
  EXPECT_EQ(merge(wires, false).requests.requests(), 1);
}

}  // namespace
}  // namespace headrace::plan
