// Where the time of calls goes, rank by rank: the phases are the whole of each call. No test here
// says how long anything may take.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/collective_file.hpp"
#include "plan/plan.hpp"
#include "storage/memory/memory_storage.hpp"
#include "support/interleaved_call.hpp"
#include "support/thread_team.hpp"

namespace headrace::engine {
namespace {

using report::Phase;
using report::PhaseTimes;
using report::Timers;

constexpr int ranks = 6;
constexpr int per_node = 2;

/// What one rank has measured, and what the test has on that rank.
struct Measured {
  std::array<PhaseTimes, direction_count> times;
  std::array<std::int64_t, direction_count> elapsed{};  ///< nanoseconds inside the calls
  report::TimersByDirection all;
  report::Counters totals;

  const PhaseTimes& operator[](Direction direction) const {
    return times[static_cast<std::size_t>(direction)];
  }
  const std::optional<Timers>& all_ranks(Direction direction) const {
    return all[static_cast<std::size_t>(direction)];
  }
};

std::int64_t sum(const PhaseTimes& times) {
  return std::accumulate(times.phases.begin(), times.phases.end(), std::int64_t{0});
}

class PhaseTimers : public testing::Test {
 protected:
  PhaseTimers() {
    options_.method = Method::tam;
    options_.cb_buffer_size = 4096;
    options_.cb_nodes = 2;
    options_.local_aggregators = 3;
    options_.plan_cache = 0;  // a plan of a call before would leave phases out
  }

  /// Collective calls by all ranks.
  std::array<Measured, ranks> measure(const std::vector<Direction>& calls, Veto veto = Veto::none) {
    std::array<Measured, ranks> measured;
    teams_.run([&](Team& team) {
      CollectiveFile file(team, storage::open_memory, "/timers", storage::Access::read_write,
                          FileFacts{.options = options_});
      std::vector<std::byte> buffer;
      Call call = test::interleaved_call(shape_, team.rank, buffer);
      call.veto = veto;
      for (const Direction direction : calls) time_call(file, call, direction, measured[team.rank]);
      finish(file, measured[team.rank]);
    });
    return measured;
  }

  test::ThreadTeams teams_{ranks, per_node};
  std::shared_ptr<storage::MemoryFile> file_ = storage::MemoryFile::create("/timers");
  Options options_;
  test::Interleaving shape_{ranks, 16, 512, 4};

 private:
  static void time_call(CollectiveFile& file, const Call& call, Direction direction,
                        Measured& mine) {
    const std::int64_t begin = report::steady_now();
    const Outcome outcome =
        direction == Direction::write ? file.write_all(call) : file.read_all(call);
    mine.elapsed[static_cast<std::size_t>(direction)] += report::steady_now() - begin;
    EXPECT_EQ(outcome.host, call.veto);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
  }

  static void finish(CollectiveFile& file, Measured& mine) {
    for (const Direction direction : {Direction::write, Direction::read})
      mine.times[static_cast<std::size_t>(direction)] = file.times(direction);
    mine.all = file.total_timers();
    mine.totals = file.total_counters();
  }
};

TEST_F(PhaseTimers, add_up_to_the_time_of_the_calls_on_every_rank) {
  const auto measured =
      measure({Direction::write, Direction::read, Direction::write, Direction::read});
  for (const Measured& rank : measured)
    for (const Direction direction : {Direction::write, Direction::read}) {
      const PhaseTimes& times = rank[direction];
      EXPECT_EQ(sum(times), times.total);
      EXPECT_GT(times.total, 0);
      EXPECT_LE(times.total, rank.elapsed[static_cast<std::size_t>(direction)]);
      for (const std::int64_t phase : times.phases) EXPECT_GE(phase, 0);
    }
}

/// A rank may lose its core on the way into a call or out of it: not all of them, each time.
TEST_F(PhaseTimers, leave_less_than_a_fiftieth_of_a_call_unseen) {
  double seen = 0;
  for (int i = 0; i < 10; ++i)
    for (const Measured& rank : measure({Direction::write}))
      seen = std::max(seen, static_cast<double>(sum(rank[Direction::write])) /
                                static_cast<double>(rank.elapsed[0]));
  EXPECT_GT(seen, 0.98);
}

TEST_F(PhaseTimers, have_every_phase_of_a_call_over_several_nodes) {
  const auto measured = measure({Direction::write, Direction::read});
  for (const Direction direction : {Direction::write, Direction::read})
    for (int phase = 0; phase < report::phase_count; ++phase) {
      const bool is_there = std::ranges::any_of(
          measured, [&](const Measured& rank) { return rank[direction].phases[phase] > 0; });
      EXPECT_TRUE(is_there) << direction_name(direction) << ", "
                            << report::phase_name(static_cast<Phase>(phase));
    }
}

TEST_F(PhaseTimers, belong_to_the_roles_that_work_in_them) {
  for (const Measured& rank : measure({Direction::write, Direction::read})) {
    const bool is_global = rank[Direction::write][Phase::domain_sort] > 0;
    EXPECT_GT(rank[Direction::write][Phase::gather], 0);
    EXPECT_GT(rank[Direction::write][Phase::copy], 0);
    EXPECT_GT(rank[Direction::write][Phase::waiting], 0);
    EXPECT_EQ(rank[Direction::read][Phase::io] > 0, is_global);
    EXPECT_EQ(rank[Direction::read][Phase::others_requests] > 0, is_global);
  }
}

TEST_F(PhaseTimers, of_all_ranks_are_the_same_everywhere_and_within_each_other) {
  const auto measured = measure({Direction::write});
  const Timers& timers = *measured[0].all_ranks(Direction::write);
  for (int i = 0; i < report::timer_count; ++i) {
    const report::Spread& all = timers.ranks[i];
    const report::Spread& some = timers.aggregators[i];
    EXPECT_LE(all.min, all.mean);
    EXPECT_LE(all.mean, all.max);
    EXPECT_LE(all.min, some.min);
    EXPECT_LE(some.max, all.max);
    EXPECT_EQ(measured[ranks - 1].all_ranks(Direction::write)->ranks[i].mean, all.mean);
  }
  EXPECT_GT(timers.aggregators[static_cast<int>(Phase::io)].min, 0);
}

TEST_F(PhaseTimers, of_direct_service_are_io_without_exchange) {
  options_.method = Method::automatic;
  shape_ = {ranks, plan::direct_sizes(0, 0).rank, 1, 0};
  for (const Measured& rank : measure({Direction::write, Direction::read})) {
    EXPECT_EQ(rank.totals[report::Counter::direct_calls], 2 * ranks);
    for (const Direction direction : {Direction::write, Direction::read}) {
      EXPECT_GT(rank[direction][Phase::io], 0);
      EXPECT_EQ(rank[direction][Phase::exchange], 0);
      EXPECT_EQ(sum(rank[direction]), rank[direction].total);
    }
  }
}

TEST_F(PhaseTimers, count_nothing_where_nothing_was_served) {
  for (const Measured& rank : measure({Direction::write}, Veto::atomic_mode)) {
    EXPECT_EQ(rank[Direction::write].total, 0);
    EXPECT_EQ(sum(rank[Direction::write]), 0);
    EXPECT_FALSE(rank.all_ranks(Direction::write).has_value());
    EXPECT_FALSE(rank.all_ranks(Direction::read).has_value());
  }
}

}  // namespace
}  // namespace headrace::engine
