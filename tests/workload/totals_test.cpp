// Requests and bytes that are known from the papers.
#include <set>

#include "checks.hpp"

namespace headrace::workload {
namespace {

TEST(S3d, has_sixteen_times_ny_nz_runs_a_rank) {
  const auto workload = made("s3d", {{"edge", "128"}, {"grid", "4x2x8"}}, 64);
  for (int rank = 0; rank < 64; ++rank) {
    const auto file = workload->file(rank);
    EXPECT_EQ(requests_of(file), 16 * 64 * 16);
    EXPECT_EQ(extents_of(file)[0].length(), 8 * 32);
  }
}

/// TAM paper, section V-C: about 327,680,000 requests at 16,384 ranks, 61 GiB.
TEST(S3d, has_the_papers_requests_at_16384_ranks) {
  const auto workload = made("s3d", {{"edge", "800"}}, 16'384);
  std::int64_t requests = 0;
  for (int rank = 0; rank < workload->ranks(); ++rank)
    requests += requests_of(workload->file(rank));
  EXPECT_EQ(requests, 327'680'000);
  EXPECT_EQ(workload->call_bytes(), 65'536'000'000);
}

/// TAM paper, section V-B: 512^2 * 40 * sqrt(P) requests, 200 GiB.
TEST(Btio, has_the_papers_requests) {
  for (const auto& [ranks, expected] :
       {std::pair{1'024, 335'544'320}, {4'096, 671'088'640}, {16'384, 1'342'177'280}}) {
    const auto workload = made("btio", {{"edge", "512"}}, ranks);
    std::int64_t requests = 0;
    for (int rank = 0; rank < ranks; ++rank) requests += requests_of(workload->file(rank));
    EXPECT_EQ(requests * workload->default_calls(), expected);
    EXPECT_EQ(workload->call_bytes() * workload->default_calls(), std::int64_t{200} << 30);
  }
}

/// Cell 1 of rank 1 of 4: cx = 0, cy = 1, cz = 1 of 5 = 3 + 2 points.
TEST(Btio, cells_are_on_a_diagonal_and_have_a_halo_in_memory) {
  const auto workload = made("btio", {{"edge", "5"}}, 4);
  const auto file = extents_of(workload->file(1));
  EXPECT_EQ(file[0], (Extent{40 * 3, 40 * 5}));
  EXPECT_EQ(file[3 * 3], (Extent{40 * (0 + 5 * (3 + 5 * 3)), 40 * (3 + 5 * (3 + 5 * 3))}));
  const auto memory = extents_of(workload->memory(1));
  constexpr std::int64_t edge = 5 / 2 + 1 + 4;
  EXPECT_EQ(memory[0].begin, 40 * (2 + edge * (2 + edge * 2)));
  EXPECT_EQ(memory[3 * 3].begin, 40 * (2 + edge * (2 + edge * (2 + edge))));
}

TEST(Hacc, has_38_bytes_a_particle_after_the_header) {
  const auto aos = made("hacc", {}, 4);
  EXPECT_EQ(aos->displacement(0), 25'165'824);
  EXPECT_EQ(aos->call_bytes(), 38 * 4 * 25'000);
  EXPECT_EQ(extents_of(aos->file(1)), (std::vector<Extent>{{38 * 25'000, 38 * 50'000}}));
  EXPECT_EQ(requests_of(aos->memory(1)), 9 * 25'000);
  const auto soa = made("hacc", {{"layout", "soa"}}, 4);
  const auto slices = extents_of(soa->file(1));
  ASSERT_EQ(slices.size(), 9U);
  EXPECT_EQ(slices[1], (Extent{400'000 + 100'000, 400'000 + 200'000}));
  EXPECT_EQ(slices[8], (Extent{36 * 100'000 + 50'000, 36 * 100'000 + 100'000}));
}

TEST(Hacc, ranks_differ_by_no_more_than_the_spread) {
  const auto workload = made("hacc", {{"particles", "1000"}, {"spread", "20"}}, 200);
  std::set<std::int64_t> counts;
  for (int rank = 0; rank < 200; ++rank) counts.insert(size_of(workload->file(rank)) / 38);
  EXPECT_GT(counts.size(), 50U);
  EXPECT_GE(*counts.begin(), 800);
  EXPECT_LE(*counts.rbegin(), 1200);
}

/// Scheduling paper, section 3 and Fig. 6: 1,280 ranks at level 10.
TEST(Gcrm, has_the_papers_stripes) {
  const auto workload = made("gcrm", {{"level", "10"}}, 1'280);
  constexpr std::int64_t stripe = 1 << 20;
  std::vector<std::set<int>> ranks_of(workload->call_bytes() / stripe + 1);
  for (int rank = 0; rank < workload->ranks(); ++rank)
    for (const Extent& extent : extents_of(workload->file(rank)))
      for (std::int64_t s = extent.begin / stripe; s <= (extent.end - 1) / stripe; ++s)
        ranks_of[s].insert(rank);
  EXPECT_GE(ranks_of[0].size(), 32U);
  EXPECT_GE(ranks_of[1441].size(), 32U);
  const auto by_six = std::count_if(ranks_of.begin(), ranks_of.end(), [](const auto& ranks) {
    return ranks.size() == 6 || ranks.size() == 7;
  });
  EXPECT_GT(by_six, std::ssize(ranks_of) / 2);
}

TEST(Uneven, has_the_papers_sizes) {
  const auto workload = made("uneven", {{"scale", "1"}}, 128);
  for (const int rank : {0, 63, 64, 127}) {
    const auto file = workload->file(rank);
    EXPECT_EQ(size_of(file), std::int64_t{rank < 64 ? 40 : 20} << 20);
    EXPECT_EQ(requests_of(file), 160);
  }
}

TEST(Random, gives_most_to_the_median_ranks) {
  const auto workload = made("random", {{"size", "4MB"}, {"piece", "500"}}, 15);
  const auto bytes = [&](int rank) { return size_of(workload->file(rank)); };
  EXPECT_GT(bytes(7), 2 * bytes(3));
  EXPECT_GT(bytes(7), 2 * bytes(11));
  EXPECT_GT(bytes(3), bytes(0));
  EXPECT_GT(bytes(11), bytes(14));
}

TEST(Lattice, blocks_have_x_fastest) {
  const auto workload = made("lattice", {{"sites", "4"}, {"grid", "2x2x1x1"}}, 4);
  const auto file = extents_of(workload->file(3));
  EXPECT_EQ(file.size(), 2U * 4 * 4);
  EXPECT_EQ(file[0], (Extent{192 * (2 + 4 * 2), 192 * (4 + 4 * 2)}));
  EXPECT_EQ(file[1].begin, 192 * (2 + 4 * 3));
}

TEST(Ior, orders_place_the_bytes_of_a_rank) {
  const Settings small{{"transfer", "10"}, {"block", "20"}, {"segments", "2"}};
  const auto begins = [&](const std::string& order) {
    Settings settings = small;
    settings["order"] = order;
    std::vector<std::int64_t> found;
    for (const Extent& extent : extents_of(made("ior", settings, 3)->file(1)))
      found.push_back(extent.begin);
    return found;
  };
  EXPECT_EQ(begins("contiguous"), (std::vector<std::int64_t>{40}));
  EXPECT_EQ(begins("segmented"), (std::vector<std::int64_t>{20, 80}));
  EXPECT_EQ(begins("strided"), (std::vector<std::int64_t>{10, 40, 70, 100}));
  EXPECT_EQ(begins("shifted"), (std::vector<std::int64_t>{80}));
}

TEST(Ior, another_seed_is_another_order) {
  const auto first = [](const char* seed) {
    return extents_of(
        made("ior", {{"order", "random"}, {"transfer", "1k"}, {"seed", seed}}, 4)->file(0));
  };
  EXPECT_EQ(first("7"), first("7"));
  EXPECT_NE(first("7"), first("8"));
}

}  // namespace
}  // namespace headrace::workload
