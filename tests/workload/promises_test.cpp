// The promises of workload.hpp, for every kind on several numbers of ranks.
#include <set>

#include "checks.hpp"

namespace headrace::workload {
namespace {

struct Case {
  std::string name;
  Settings settings;
  std::vector<int> ranks;
};

std::vector<Case> cases() {
  return {
      {"e3sm", {{"ne", "3"}, {"levels", "5"}}, {1, 2, 7, 16, 60, 500}},
      {"btio", {{"edge", "12"}}, {1, 4, 9, 16, 25, 196}},
      {"btio", {{"edge", "16x9x11"}}, {9}},
      {"hacc", {{"particles", "100"}}, {1, 2, 17}},
      {"hacc", {{"particles", "100"}, {"layout", "soa"}, {"spread", "30"}}, {1, 2, 17}},
      {"hacc", {{"particles", "10"}, {"layout", "aos"}, {"spread", "100"}}, {1, 2, 17}},
      {"gcrm", {{"level", "3"}}, {1, 2, 10, 16, 64}},
      {"lattice", {{"sites", "8x4x4x6"}, {"site_doubles", "3"}}, {1, 2, 16, 24}},
      {"lattice", {{"sites", "8x4x4x6"}, {"grid", "1x2x4x3"}}, {24}},
      {"uneven", {{"scale", "1024"}}, {1, 2, 5, 16}},
      {"random", {{"size", "1MB"}, {"piece", "777"}}, {1, 2, 5, 64}},
      {"random", {{"size", "1000"}, {"piece", "1"}, {"deviation", "100"}}, {5}},
      {"s3d", {{"edge", "24"}}, {1, 2, 6, 8, 12, 64}},
      {"s3d", {{"edge", "16x8x4"}, {"grid", "2x4x1"}}, {8}},
      {"ior", {}, {1, 3, 16}},
      {"ior", {{"order", "segmented"}, {"segments", "5"}, {"transfer", "4k"}}, {1, 3, 16}},
      {"ior",
       {{"order", "strided"}, {"segments", "3"}, {"transfer", "1000"}, {"block", "5000"}},
       {1, 3, 16}},
      {"ior",
       {{"order", "random"}, {"segments", "3"}, {"transfer", "4KB"}, {"block", "64KB"}},
       {1, 3, 16}},
      {"ior", {{"order", "shifted"}, {"shift", "5"}}, {1, 3, 16}},
  };
}

TEST(Promises, are_kept_by_every_kind) {
  for (const Case& one : cases())
    for (const int ranks : one.ranks) {
      SCOPED_TRACE(fmt::format("{} on {} ranks", one.name, ranks));
      expect_promises_kept(*made(one.name, one.settings, ranks));
    }
}

TEST(Promises, every_kind_is_among_the_cases) {
  std::set<std::string, std::less<>> names;
  for (const Case& one : cases()) names.insert(one.name);
  for (const Kind& kind : kinds()) EXPECT_TRUE(names.contains(kind.name)) << kind.name;
}

/// One rank's part does not depend on which others have been made.
TEST(Promises, a_rank_alone_equals_the_rank_among_others) {
  for (const Case& one : cases()) {
    const int ranks = one.ranks.back();
    const auto among_others = made(one.name, one.settings, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto alone = made(one.name, one.settings, ranks);
      EXPECT_EQ(extents_of(alone->file(rank)), extents_of(among_others->file(rank))) << one.name;
      EXPECT_EQ(extents_of(alone->memory(rank)), extents_of(among_others->memory(rank)))
          << one.name;
    }
  }
}

}  // namespace
}  // namespace headrace::workload
