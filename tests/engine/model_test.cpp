// Calls on the modelled storage that hints make of any other.
#include <gtest/gtest.h>

#include "engine/collective_file.hpp"
#include "storage/memory/memory_storage.hpp"
#include "support/interleaved_call.hpp"
#include "support/thread_team.hpp"

namespace headrace::engine {
namespace {

constexpr int ranks = 4;
constexpr std::int64_t piece = 16;
constexpr std::int64_t pieces = 40;

TEST(ModelledStorage, gives_a_call_its_stripes_and_their_aggregators) {
  Options options;
  options.method = Method::tam;
  options.model_stripe_time = 1;
  options.striping_unit = 256;
  options.striping_factor = 3;
  const auto file = storage::MemoryFile::create("/modelled");
  test::ThreadTeams(ranks, 2).run([&](Team& team) {
    CollectiveFile collective(team, storage::open_memory, "/modelled", storage::Access::read_write,
                              FileFacts{.options = options});
    std::vector<std::byte> buffer;
    const Call call = test::interleaved_call({ranks, piece, pieces, 0}, team.rank, buffer);
    EXPECT_TRUE(collective.write_all(call).status.ok());
    EXPECT_EQ(collective.options().cb_nodes, 3);
    const report::Counters total = collective.total_counters();
    EXPECT_EQ(total[report::Counter::rounds], ranks * piece * pieces / 256);
  });
  EXPECT_EQ(file->size(), ranks * piece * pieces);
}

}  // namespace
}  // namespace headrace::engine
