#include "engine/staging.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "transport/inproc/inproc_node.hpp"

namespace headrace::engine {
namespace {

constexpr std::int64_t kibibyte = 1024;

class StagingTest : public ::testing::Test {
 protected:
  Staging::Place taken(Staging& staging, std::int64_t bytes) {
    EXPECT_TRUE(staging.has_place_for(bytes));
    const Result<Staging::Place> place = staging.take(bytes);
    EXPECT_TRUE(place.ok()) << place.status().message();
    return place.ok() ? *place : Staging::Place{};
  }
  std::size_t reserved_in_all() const {
    std::size_t all = 0;
    for (int area = 0; area < staging_areas; ++area) all += node->reserved(region::staging + area);
    return all;
  }

  transport::InprocNode whole{1};
  std::unique_ptr<transport::NodeMemory> node = whole.attach(0);
};

TEST_F(StagingTest, many_places_take_few_areas_and_no_more_than_twice_their_memory) {
  Staging staging(*node, 1024 * kibibyte);
  int last_area = 0;
  for (int i = 0; i < staging_count; ++i) last_area = taken(staging, 10 * kibibyte).area;
  EXPECT_LT(last_area, 6);
  EXPECT_LE(reserved_in_all(), 20 * kibibyte * staging_count);
}

TEST_F(StagingTest, there_is_no_more_memory_than_may_be_taken) {
  Staging staging(*node, 100 * kibibyte);
  for (int i = 0; i < 10; ++i) taken(staging, 10 * kibibyte);
  EXPECT_EQ(staging.room(), 0);
  EXPECT_EQ(reserved_in_all(), 100 * kibibyte);
}

TEST_F(StagingTest, what_is_given_back_is_taken_again) {
  Staging staging(*node, 1024 * kibibyte);
  const Staging::Place first = taken(staging, 10 * kibibyte);
  const Staging::Place second = taken(staging, 10 * kibibyte);
  for (int i = 0; i < 100; ++i) {
    staging.give_back(first);
    const Staging::Place again = taken(staging, 10 * kibibyte);
    EXPECT_EQ(again.area, first.area);
    EXPECT_EQ(again.begin, first.begin);
  }
  staging.give_back(second);
  EXPECT_EQ(reserved_in_all(), 20 * kibibyte);
}

TEST_F(StagingTest, memory_of_a_call_before_serves_the_next) {
  const std::size_t before = [&] {
    Staging staging(*node, 1024 * kibibyte);
    for (int i = 0; i < 5; ++i) taken(staging, 10 * kibibyte);
    return reserved_in_all();
  }();
  Staging staging(*node, 1024 * kibibyte);
  for (int i = 0; i < 5; ++i) taken(staging, 10 * kibibyte);
  EXPECT_EQ(reserved_in_all(), before);
}

TEST_F(StagingTest, an_area_in_use_does_not_grow_and_without_an_empty_one_there_is_no_place) {
  Staging staging(*node, 1024 * kibibyte);
  std::vector<Staging::Place> places;
  for (std::int64_t bytes = kibibyte; staging.has_place_for(bytes); bytes *= 3) {
    const std::byte* const first_at = node->region(0, region::staging, kibibyte);
    places.push_back(taken(staging, bytes));
    if (places.size() > 1) {
      EXPECT_EQ(node->region(0, region::staging, kibibyte), first_at);
    }
  }
  EXPECT_EQ(places.size(), std::size_t{staging_areas});
  staging.give_back(places[3]);
  EXPECT_TRUE(staging.has_place_for(1024 * kibibyte));
}

TEST_F(StagingTest, more_memory_than_there_is_fails_and_what_is_left_can_be_used) {
  Staging staging(*node, kibibyte);
  constexpr auto too_much = static_cast<std::int64_t>(transport::NodeMemory::max_region_bytes) + 1;
  EXPECT_EQ(staging.take(too_much).status().error_class(), ErrorClass::no_memory);
  staging.give_back({});
  EXPECT_EQ(staging.room(), kibibyte);
  taken(staging, kibibyte);
}

TEST_F(StagingTest, places_do_not_overlap) {
  Staging staging(*node, 256 * kibibyte);
  std::mt19937 random(11);
  std::vector<Staging::Place> places;
  for (int step = 0; step < 10'000; ++step) {
    const auto bytes = std::uniform_int_distribution<std::int64_t>(1, 40 * kibibyte)(random);
    if (places.size() < staging_count && bytes <= staging.room() && staging.has_place_for(bytes)) {
      const Staging::Place place = taken(staging, bytes);
      ASSERT_EQ(place.begin % 64, 0);
      ASSERT_NE(node->region(0, region::staging + place.area, place.begin + bytes), nullptr);
      for (const Staging::Place& other : places)
        ASSERT_TRUE(other.area != place.area || other.begin + other.bytes <= place.begin ||
                    place.begin + place.bytes <= other.begin);
      places.push_back(place);
    } else {
      ASSERT_FALSE(places.empty()) << "there is always a place where nothing is taken";
      const std::size_t gone = random() % places.size();
      staging.give_back(places[gone]);
      places.erase(places.begin() + static_cast<std::ptrdiff_t>(gone));
    }
  }
}

}  // namespace
}  // namespace headrace::engine
