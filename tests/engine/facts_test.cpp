// What rank 0 knows of a file reaches every rank with the first agreement.
#include <gtest/gtest.h>

#include <array>
#include <mutex>

#include "engine/collective_file.hpp"
#include "storage/memory/memory_storage.hpp"
#include "support/interleaved_call.hpp"
#include "support/thread_team.hpp"

namespace headrace::engine {
namespace {

constexpr int ranks = 6;

/// Other ones on each rank.
FileFacts facts_of(int rank) {
  FileFacts facts;
  facts.inode = rank == 0 ? 0 : 1000 + rank;
  facts.reports = rank == 0;
  facts.options.cb_buffer_size = std::int64_t{4096} * (rank + 1);
  if (rank == 0) facts.host_hints = {{"romio_lustre_start_iodevice", "-1"}, {"ind_rd", "4"}};
  facts.options.method = rank == 0 ? Method::tam : Method::two_phase;
  return facts;
}

class Facts : public testing::TestWithParam<int> {
 protected:
  /// body(team, file), after which all ranks must have what rank 0 was given.
  template <class Body>
  void on_all(const FileFacts& given, Body body) {
    teams_.run([&](Team& team) {
      CollectiveFile file(team, storage::open_memory, "/facts", storage::Access::read_write,
                          team.rank == 0 ? given : facts_of(team.rank));
      body(team, file);
      const std::lock_guard guard(mutex_);
      EXPECT_EQ(file.facts(), given) << "rank " << team.rank;
    });
  }

  test::ThreadTeams teams_{ranks, GetParam()};
  std::shared_ptr<storage::MemoryFile> file_ = storage::MemoryFile::create("/facts");
  std::mutex mutex_;
};

TEST_P(Facts, come_with_minima) {
  on_all(facts_of(0), [&](Team& team, CollectiveFile& file) {
    std::array<std::int64_t, 2> least{team.rank, -team.rank};
    file.minima(least);
    const std::lock_guard guard(mutex_);
    EXPECT_EQ(least, (std::array<std::int64_t, 2>{0, 1 - ranks}));
  });
}

TEST_P(Facts, come_with_a_call) {
  on_all(facts_of(0), [](Team& team, CollectiveFile& file) {
    std::vector<std::byte> buffer;
    const Call call = test::interleaved_call({ranks, 16, 512, 0}, team.rank, buffer);
    EXPECT_TRUE(file.write_all(call).status.ok());
  });
}

TEST_P(Facts, may_be_long) {
  FileFacts facts = facts_of(0);
  facts.options.cb_config_list = "*:1";
  for (int host = 0; host < 1000; ++host)
    facts.options.cb_config_list += ",host" + std::to_string(host) + ":2";
  on_all(facts, [&](Team& team, CollectiveFile& file) {
    std::array<std::int64_t, 1> least{team.rank + 7};
    file.minima(least);
    const std::lock_guard guard(mutex_);
    EXPECT_EQ(least[0], 7);
  });
}

TEST_P(Facts, are_rank_0s_after_new_options_too) {
  FileFacts changed = facts_of(0);
  changed.options.cb_buffer_size = 1 << 20;
  on_all(changed, [&](Team& team, CollectiveFile& file) {
    std::array<std::int64_t, 1> nothing{};
    file.minima(nothing);
    if (team.rank != 1) file.set_options(team.rank == 0 ? changed.options : Options());
    std::vector<std::byte> buffer;
    const Call call = test::interleaved_call({ranks, 16, 512, 0}, team.rank, buffer);
    EXPECT_TRUE(file.write_all(call).status.ok());
  });
}

/// A small call is not served with the agreement that brings new options.
TEST_P(Facts, are_new_in_a_call_of_few_bytes_too) {
  FileFacts changed = facts_of(0);
  changed.options.cb_write = Toggle::disable;
  on_all(changed, [&](Team& team, CollectiveFile& file) {
    std::vector<std::byte> buffer;
    const Call call = test::interleaved_call({ranks, 1, 8, 0}, team.rank, buffer);
    file.set_options(facts_of(team.rank).options);
    EXPECT_EQ(file.write_all(call).host, Veto::none);
    file.set_options(changed.options);
    EXPECT_EQ(file.write_all(call).host, Veto::disabled_by_hint);
  });
}

TEST_P(Facts, say_why_the_file_is_the_hosts) {
  FileFacts facts = facts_of(0);
  facts.veto = Veto::unsafe_file_system;
  on_all(facts, [&](Team& team, CollectiveFile& file) {
    std::vector<std::byte> buffer;
    const Call call = test::interleaved_call({ranks, 16, 512, 0}, team.rank, buffer);
    const Outcome outcome = file.write_all(call);
    const std::lock_guard guard(mutex_);
    EXPECT_EQ(outcome.host, Veto::unsafe_file_system);
  });
}

INSTANTIATE_TEST_SUITE_P(RanksPerNode, Facts, testing::Values(1, 2, ranks));

}  // namespace
}  // namespace headrace::engine
