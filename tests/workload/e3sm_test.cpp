// E3SM: the recorded maps, where they are at hand, and the cubed sphere.
#include <cstdlib>
#include <filesystem>
#include <set>

#include "checks.hpp"
#include "workload/cubed_sphere.hpp"

namespace headrace::workload {
namespace {

/// HEADRACE_E3SM_MAPS may name another folder than the one beside the source.
std::filesystem::path map_folder() {
  const char* folder = std::getenv("HEADRACE_E3SM_MAPS");
  return folder != nullptr ? folder : HEADRACE_SOURCE_DIR "/../shared/data/e3sm";
}

struct Recorded {
  const char* file;
  std::int64_t requests;
  std::int64_t joined;  ///< on 16 ranks, once those that touch are one
  std::int64_t bytes;
};

class RecordedMap : public testing::TestWithParam<Recorded> {
 protected:
  void SetUp() override {
    path_ = map_folder() / GetParam().file;
    if (!std::filesystem::exists(path_))
      GTEST_SKIP() << "no recorded map " << path_
                   << ": set HEADRACE_E3SM_MAPS to the folder of E3SM-IO's maps";
  }
  std::unique_ptr<Workload> workload(int ranks) const {
    return made("e3sm", {{"map", path_.string()}}, ranks);
  }
  std::filesystem::path path_;
};

TEST_P(RecordedMap, has_the_known_totals_on_any_number_of_ranks) {
  for (const int ranks : {1, 3, 16, 23, 64}) {
    const auto e3sm = workload(ranks);
    std::int64_t requests = 0;
    for (int rank = 0; rank < ranks; ++rank) requests += e3sm->requests(rank);
    EXPECT_EQ(requests, GetParam().requests) << ranks;
    EXPECT_EQ(e3sm->call_bytes(), GetParam().bytes) << ranks;
  }
}

TEST_P(RecordedMap, joins_requests_that_touch) {
  const auto e3sm = workload(16);
  std::int64_t joined = 0;
  for (int rank = 0; rank < 16; ++rank) joined += requests_of(e3sm->file(rank));
  EXPECT_EQ(joined, GetParam().joined);
}

TEST_P(RecordedMap, keeps_the_promises_of_a_workload) {
  for (const int ranks : {3, 23}) {
    SCOPED_TRACE(ranks);
    expect_promises_kept(*workload(ranks));
  }
}

TEST_P(RecordedMap, is_dealt_evenly) {
  const auto sixteen = workload(16);
  const auto fewer = workload(5);
  std::int64_t bytes = 0;
  for (const int process : {0, 1, 2}) bytes += size_of(sixteen->file(process));
  EXPECT_EQ(size_of(fewer->file(0)), bytes);
  const auto more = workload(32);
  for (int process = 0; process < 16; ++process)
    EXPECT_EQ(more->requests(2 * process) + more->requests(2 * process + 1),
              sixteen->requests(process));
}

INSTANTIATE_TEST_SUITE_P(
    , RecordedMap,
    testing::Values(Recorded{"map_f_case_16p.nc", 4'207'941, 1'977'660, 16'835'040},
                    Recorded{"map_g_case_16p.nc", 13'499, 5'391, 9'004'064},
                    Recorded{"map_i_case_16p.nc", 2'257'128, 2'057'808, 91'570'176}),
    [](const auto& info) { return std::string(info.param.file, 5); });

TEST(Curve, visits_every_cell_once) {
  for (const std::int64_t side : {1, 2, 3, 8, 12, 15}) {
    std::set<std::pair<std::int64_t, std::int64_t>> cells;
    for (std::int64_t i = 0; i < side * side; ++i) {
      const Cell cell = cell_on_curve(side, i);
      EXPECT_TRUE(cell.x >= 0 && cell.x < side && cell.y >= 0 && cell.y < side);
      cells.emplace(cell.x, cell.y);
    }
    EXPECT_EQ(std::ssize(cells), side * side) << side;
  }
}

TEST(Curve, goes_from_neighbour_to_neighbour) {
  Cell last = cell_on_curve(16, 0);
  for (std::int64_t i = 1; i < 256; ++i) {
    const Cell next = cell_on_curve(16, i);
    EXPECT_EQ(std::abs(next.x - last.x) + std::abs(next.y - last.y), 1) << i;
    last = next;
  }
}

TEST(CubedSphere, has_the_known_numbers_of_columns) {
  EXPECT_EQ(CubedSphere(4).columns(), 866);
  EXPECT_EQ(CubedSphere(30).columns(), 48'602);
  EXPECT_EQ(CubedSphere(120).columns(), 777'602);
}

/// The recorded F case, made again: 866 columns on 16 ranks.
TEST(SyntheticE3sm, has_the_bytes_of_the_recorded_case) {
  EXPECT_EQ(made("e3sm", {{"ne", "4"}}, 16)->call_bytes(), 16'835'040);
}

/// The lists of runs of a rank: one of D1, and alike ones of D2 and of every level of D3.
constexpr std::int64_t physics_lists = 323 + 63 * 72;

struct Runs {
  std::int64_t dynamics;
  std::int64_t physics;
};

Runs runs_of(const Workload& e3sm, int rank) {
  const std::int64_t requests = e3sm.requests(rank);
  return {requests % physics_lists, requests / physics_lists};
}

/// Recorded: 13 to 39 runs of D2.
TEST(SyntheticE3sm, ranks_have_short_runs_of_columns_as_recorded) {
  const auto e3sm = made("e3sm", {{"ne", "4"}}, 16);
  for (int rank = 0; rank < 16; ++rank) {
    EXPECT_GE(runs_of(*e3sm, rank).physics, 13) << rank;
    EXPECT_LE(runs_of(*e3sm, rank).physics, 39) << rank;
  }
}

TEST(SyntheticE3sm, d1_has_few_runs_where_ranks_have_four_elements) {
  const auto e3sm = made("e3sm", {{"ne", "30"}}, 1'350);
  for (int rank = 0; rank < 1'350; ++rank) {
    EXPECT_GE(runs_of(*e3sm, rank).dynamics, 2) << rank;
    EXPECT_LE(runs_of(*e3sm, rank).dynamics, 7) << rank;
  }
}

TEST(SyntheticE3sm, every_level_repeats_the_runs) {
  const auto one = made("e3sm", {{"ne", "3"}, {"levels", "1"}}, 4);
  const auto five = made("e3sm", {{"ne", "3"}, {"levels", "5"}}, 4);
  for (int rank = 0; rank < 4; ++rank)
    EXPECT_EQ((five->requests(rank) - one->requests(rank)) / 63 / 4,
              (one->requests(rank) - 1) / (323 + 63));
}

/// TAM paper, table I: 1.35e9 to 1.37e9 requests, 14 GiB.
TEST(SyntheticE3sm, has_the_papers_requests_on_21600_ranks) {
  const auto e3sm = made("e3sm", {{"ne", "120"}}, 21'600);
  std::int64_t requests = 0;
  for (int rank = 0; rank < e3sm->ranks(); ++rank) requests += e3sm->requests(rank);
  EXPECT_EQ(requests, 1'367'631'984);
  EXPECT_EQ(e3sm->call_bytes(), std::int64_t{777'602} * (1 + 323 + 63 * 72) * 4);
}

}  // namespace
}  // namespace headrace::workload
