// What a group's requests look like to another node, against lists made byte by byte.
#include "plan/gather.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "support/walked.hpp"

namespace headrace::plan {
namespace {

using Bytes = std::vector<std::int64_t>;

/// Sources of a group, by the bytes they ask for, ascending.
class Group {
 public:
  void add(const Bytes& bytes, Cuts cuts = {}) {
    RunEncoder encoder;
    for (const std::int64_t byte : bytes) encoder.add(byte, 1);
    encoder.finish();
    bytes_.push_back(bytes);
    wires_.emplace_back(encoder.bytes().begin(), encoder.bytes().end());
    cuts_.push_back(cuts);
  }

  Gathered gathered() const { return gather(sources(), true); }
  Gathered gathered_at_home() const { return gather_at_home(sources()); }

  /// Each source's places must lead to its own bytes.
  void expect_to_be_in(const Gathered& gathered) const {
    const Bytes data = test::walked(runs_of(gathered.lists), 0);
    EXPECT_EQ(test::walked(runs_of(gathered.lists), 3), data);
    EXPECT_EQ(gathered.data_bytes, std::ssize(data));
    ASSERT_EQ(gathered.places.size(), bytes_.size());
    for (std::size_t k = 0; k < bytes_.size(); ++k) {
      Bytes found;
      for (const std::int64_t place : test::walked(RunDecoder(gathered.places[k].bytes()), 0))
        found.push_back(data.at(place));
      EXPECT_EQ(found, bytes_[k]) << "source " << k;
    }
    std::set<std::int64_t> asked;
    for (const Bytes& each : bytes_) asked.insert(each.begin(), each.end());
    EXPECT_EQ(std::set(data.begin(), data.end()), asked);
  }

 private:
  std::vector<GatherSource> sources() const {
    std::vector<GatherSource> sources;
    for (std::size_t k = 0; k < wires_.size(); ++k) sources.push_back({wires_[k], cuts_[k]});
    return sources;
  }

  std::vector<Bytes> bytes_;
  std::vector<std::vector<std::byte>> wires_;
  std::vector<Cuts> cuts_;
};

TEST(Gather, every_source_finds_its_data_merged_or_not) {
  int merged = 0;
  int beside = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    Group group;
    const int sources = pick(1, 5);
    const int spread = pick(0, 2) == 0 ? 5000 : pick(1, 9);
    for (int k = 0; k < sources; ++k) {
      std::set<std::int64_t> bytes;
      for (int n = pick(0, 30); n > 0; --n) bytes.insert(std::int64_t{spread} * pick(0, 40));
      group.add({bytes.begin(), bytes.end()});
    }
    const Gathered gathered = group.gathered();
    SCOPED_TRACE(seed);
    group.expect_to_be_in(gathered);
    if (sources > 1) ++(lists_in(gathered.lists).size() == 1 ? merged : beside);
    if (HasFatalFailure()) break;
  }
  EXPECT_GT(merged, 300);
  EXPECT_GT(beside, 300);
}

TEST(Gather, a_third_fewer_requests_are_merged_and_less_is_not) {
  Group third;
  third.add({0, 10, 20});
  third.add({1, 30, 40});
  third.add({2, 50, 60});
  EXPECT_EQ(lists_in(third.gathered().lists).size(), 3U) << "nine requests become seven";
  Group half;
  half.add({0, 10, 20});
  half.add({1, 11, 40});
  half.add({2, 21, 60});
  const Gathered gathered = half.gathered();
  EXPECT_EQ(lists_in(gathered.lists).size(), 1U) << "nine become five";
  EXPECT_EQ(gathered.requests, 5);
}

TEST(Gather, at_home_all_are_merged) {
  Group group;
  group.add({0, 10, 20}, {.before = 0, .behind = 1});
  group.add({1, 30, 40}, {.before = 1, .behind = 0});
  const Gathered gathered = group.gathered_at_home();
  EXPECT_EQ(lists_in(gathered.lists).size(), 1U);
  EXPECT_EQ(test::walked(runs_of(gathered.lists), 0), (Bytes{0, 1, 10, 20, 30, 40}));
  EXPECT_EQ(gathered.requests, 4) << "the one at 0 began before";
  EXPECT_EQ(gathered.data_bytes, 6);
  EXPECT_TRUE(gathered.places.empty());
  Group alone;
  alone.add({7, 9});
  EXPECT_EQ(alone.gathered_at_home().requests, 2);
}

TEST(Gather, what_all_ask_for_is_asked_for_once) {
  Group group;
  for (int k = 0; k < 4; ++k) group.add({5, 105, 205});
  const Gathered gathered = group.gathered();
  EXPECT_EQ(gathered.data_bytes, 3);
  EXPECT_EQ(gathered.requests, 3);
}

TEST(Gather, a_request_that_the_window_cuts_counts_where_it_begins) {
  Group beside;
  beside.add({0, 10}, {.before = 1, .behind = 1});
  beside.add({20}, {.before = 1, .behind = 0});
  EXPECT_EQ(beside.gathered().requests, 2) << "the one at 0 began before";
  Group merged;
  merged.add({0, 2, 4}, {.before = 1, .behind = 1});
  merged.add({1, 3, 5});
  EXPECT_EQ(merged.gathered().requests, 0);
}

TEST(Gather, of_nobody_is_nothing) {
  EXPECT_TRUE(lists_in({}).empty());
  EXPECT_TRUE(lists_in(gather({}, true).lists).empty());
  Group group;
  group.add({});
  EXPECT_EQ(group.gathered().data_bytes, 0);
}

}  // namespace
}  // namespace headrace::plan
