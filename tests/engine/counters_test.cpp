// What is counted, layer by layer.
#include <gtest/gtest.h>

#include "engine/collective_file.hpp"
#include "storage/memory/memory_storage.hpp"
#include "support/interleaved_call.hpp"
#include "support/thread_team.hpp"

namespace headrace::engine {
namespace {

using report::Counter;
using report::Counters;

constexpr int ranks = 6;
constexpr int per_node = 2;
constexpr std::int64_t piece = 16;
constexpr std::int64_t pieces = 512;

class LayerCounters : public testing::Test {
 protected:
  /// Of all ranks, after one collective call: two global aggregators, each with many windows.
  Counters count(Method method, std::int64_t gap, bool is_write) {
    Options options;
    options.method = method;
    options.cb_buffer_size = 4096;
    options.cb_nodes = 2;
    options.local_aggregators = 3;
    Counters totals;
    teams_.run([&](Team& team) {
      CollectiveFile file(team, storage::open_memory, "/counters", storage::Access::read_write,
                          FileFacts{.options = options});
      std::vector<std::byte> buffer;
      const Call call = test::interleaved_call({ranks, piece, pieces, gap}, team.rank, buffer);
      const Outcome outcome = is_write ? file.write_all(call) : file.read_all(call);
      EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
      const Counters all = file.total_counters();
      if (team.rank == 0) totals = all;
    });
    return totals;
  }

  test::ThreadTeams teams_{ranks, per_node};
  std::shared_ptr<storage::MemoryFile> file_ = storage::MemoryFile::create("/counters");
};

constexpr std::int64_t every_request = ranks * pieces;

TEST_F(LayerCounters, requests_become_fewer_from_layer_to_layer) {
  for (const bool is_write : {true, false}) {
    const Counters tam = count(Method::tam, 0, is_write);
    EXPECT_EQ(tam[Counter::requests_before], every_request);
    EXPECT_EQ(tam[Counter::requests_after], every_request / per_node);
    const int in_domains = is_write ? 1 : 0;  // a read serves each who asks by itself
    EXPECT_EQ(tam[Counter::requests_in_domains], in_domains)
        << "windows and file domains cut none in two";
    const Counters two_phase = count(Method::two_phase, 0, is_write);
    EXPECT_EQ(two_phase[Counter::requests_after], every_request);
    EXPECT_EQ(two_phase[Counter::requests_in_domains], in_domains);
  }
}

TEST_F(LayerCounters, requests_with_gaps_between_them_stay_apart) {
  const Counters tam = count(Method::tam, 4, true);
  EXPECT_EQ(tam[Counter::requests_before], every_request);
  EXPECT_EQ(tam[Counter::requests_after], every_request);
  EXPECT_EQ(tam[Counter::requests_in_domains], every_request);
}

TEST_F(LayerCounters, plans_serve_the_next_file_if_its_options_are_the_same) {
  EXPECT_EQ(count(Method::tam, 0, true)[Counter::plans_reused], 0);
  EXPECT_EQ(count(Method::tam, 0, true)[Counter::plans_reused], ranks);
  EXPECT_EQ(count(Method::tam, 0, false)[Counter::plans_reused], ranks) << "whoever wrote";
  EXPECT_EQ(count(Method::tam, 4, true)[Counter::plans_reused], 0) << "another pattern";
  EXPECT_EQ(count(Method::two_phase, 0, true)[Counter::plans_reused], 0) << "another option";
  EXPECT_EQ(count(Method::tam, 0, true)[Counter::plans_reused], 0) << "forgotten meanwhile";
}

TEST_F(LayerCounters, bytes_go_through_shared_memory_once_and_to_other_nodes_with_their_lists) {
  const Counters tam = count(Method::tam, 0, true);
  EXPECT_EQ(tam[Counter::node_bytes], every_request * piece);
  EXPECT_EQ(tam[Counter::node_pieces], tam[Counter::rounds] * ranks);
  const std::int64_t from_other_nodes = tam[Counter::rounds] * 2;
  EXPECT_EQ(tam[Counter::messages], from_other_nodes);
  EXPECT_GT(tam[Counter::message_bytes], every_request * piece * 2 / 3);
}

TEST_F(LayerCounters, holes_are_read_before_they_are_written_over) {
  EXPECT_EQ(count(Method::tam, 0, true)[Counter::pre_reads], 0);
  const Counters tam = count(Method::tam, 4, true);
  EXPECT_EQ(tam[Counter::pre_reads], tam[Counter::rounds]);
  EXPECT_GT(tam[Counter::pre_read_bytes], every_request * piece);
  EXPECT_LE(tam[Counter::pre_read_bytes], every_request * (piece + 4));
}

}  // namespace
}  // namespace headrace::engine
