// The order in which global aggregators serve their windows: that of plan::make_queues for the same
// accesses, whatever the ranks and nodes, for writes and for reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/log.hpp"
#include "engine/best_order.hpp"
#include "engine/collective_file.hpp"
#include "plan/aggregators.hpp"
#include "plan/schedule.hpp"
#include "support/random.hpp"
#include "support/recording_storage.hpp"
#include "support/thread_team.hpp"

namespace headrace::engine {
namespace {

using plan::WindowNumber;
using test::Random;

constexpr std::int64_t stripe = 64;
constexpr int most_ranks = 9;
constexpr std::int64_t piece = stripe / most_ranks;

/// Ranks touch stripes at random, and a piece of their own in each.
class Case {
 public:
  Case(std::uint64_t seed, Schedule schedule) : random_({seed}) {
    ranks = static_cast<int>(random_.between(1, most_ranks));
    per_node = static_cast<int>(random_.between(1, ranks));
    options.schedule = schedule;
    options.method = random_.pick({Method::two_phase, Method::tam});
    options.local_aggregators = random_.between(0, ranks);
    options.cb_nodes = random_.between(1, ranks);
    options.file_domains = FileDomains::even;  // as windows() has them
    options.aggregator_placement =
        random_.pick({AggregatorPlacement::spread, AggregatorPlacement::round_robin});
    const bool is_striped = random_.chance(70);
    options.cb_buffer_size = is_striped ? 4096 : stripe;
    traits = {is_striped ? stripe : 0, is_striped ? 3 : 0, true};
    stripes = random_.between(1, 40);
    for (int rank = 0; rank < ranks; ++rank) patterns.push_back(pattern(rank));
  }

  Extent range() const {
    Extent range{stripes * stripe, 0};
    for (const plan::Pattern& each : patterns)
      if (!each.empty())
        range = {std::min(range.begin, each.span().begin), std::max(range.end, each.span().end)};
    return range;
  }
  plan::Windows windows() const {
    return {range(), static_cast<int>(aggregators()), options.cb_buffer_size, traits.stripe_size,
            4096};
  }
  std::int64_t aggregators() const {
    const auto nodes = plan::NodeMap::blocks(ranks, per_node);
    const std::vector<std::string> hosts(nodes.node_count(), "host");
    return std::ssize(plan::global_aggregators(nodes, hosts, options, traits.stripe_count));
  }

  int ranks;
  int per_node;
  Options options;
  storage::Traits traits;
  std::int64_t stripes;
  std::vector<plan::Pattern> patterns;

 private:
  plan::Pattern pattern(int rank) {
    std::vector<std::int64_t> offsets;
    const int chance = random_.pick({0, 10, 40, 80});
    for (std::int64_t i = 0; i < stripes; ++i)
      if (random_.chance(chance)) offsets.push_back(i * stripe + rank * piece);
    const std::vector<std::int64_t> lengths(offsets.size(), piece);
    return {plan::blocks(offsets, lengths), 0, std::ssize(offsets) * piece};
  }

  Random random_;
};

using Queues = std::vector<std::vector<WindowNumber>>;  // by aggregator

Queues planned(const Case& c, const plan::Windows& windows) {
  Queues touched;
  for (const plan::Pattern& each : c.patterns) touched.push_back(windows.touched(each));
  const plan::Accesses accesses(static_cast<int>(c.aggregators()), touched);
  Queues queues;
  for (const std::vector<int>& queue : plan::make_queues(c.options.schedule, accesses)) {
    queues.emplace_back();
    for (const int window : queue) queues.back().push_back(accesses.number(window));
  }
  return queues;
}

/// The same as the storage has seen them: by the first access to each window.
Queues seen(const Case& c, const plan::Windows& windows) {
  Queues queues(c.aggregators());
  std::set<WindowNumber> known;
  for (const std::int64_t offset : test::AccessRecord::take())
    if (const WindowNumber number = windows.number_at(offset); known.insert(number).second)
      queues[windows.aggregator_of(number)].push_back(number);
  return queues;
}

/// Two windows are worked on at once, and whichever of them is ready is done. So a window may
/// overtake the one before it, and no other.
void expect_served_as_planned(Queues served, const Queues& planned) {
  for (std::size_t a = 0; a < planned.size(); ++a)
    for (std::size_t i = 0; i + 1 < served[a].size() && i < planned[a].size(); ++i)
      if (served[a][i] != planned[a][i]) std::swap(served[a][i], served[a][i + 1]);
  EXPECT_TRUE(served == planned);
}

class ServiceOf : public testing::Test {
 protected:
  /// What is recorded is the last call.
  void run(const Case& c, bool is_write, int calls = 1) {
    file_->set_traits(c.traits);
    file_->put(0, std::vector<std::byte>(c.stripes * stripe));
    test::ThreadTeams(c.ranks, c.per_node).run([&](Team& team) {
      CollectiveFile file(team, test::open_recording, "/order", storage::Access::read_write,
                          FileFacts{.options = c.options});
      const plan::Pattern& pattern = c.patterns[team.rank];
      std::vector<std::byte> buffer(pattern.size());
      const Call call{pattern, plan::Pattern(plan::contiguous(pattern.size()), 0, pattern.size()),
                      buffer.data()};
      for (int i = 0; i < calls; ++i) {
        // Nobody gets far in a call before rank 0 makes it.
        if (team.rank == 0) test::AccessRecord::take();
        const Outcome outcome = is_write ? file.write_all(call) : file.read_all(call);
        EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
        EXPECT_EQ(outcome.bytes, pattern.size());
      }
    });
  }

  std::shared_ptr<storage::MemoryFile> file_ = storage::MemoryFile::create("/order");
};

class OrderOfService : public ServiceOf, public testing::WithParamInterface<Schedule> {};

TEST_P(OrderOfService, is_that_of_the_plan) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Case c(seed, GetParam());
    if (c.range().empty()) continue;
    const plan::Windows windows = c.windows();
    for (const bool is_write : {true, false}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + (is_write ? ", write" : ", read"));
      run(c, is_write, seed % 2 == 0 ? 1 : 2);  // the plan of a second one is known
      expect_served_as_planned(seen(c, windows), planned(c, windows));
    }
    ASSERT_FALSE(HasFailure());
  }
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // it takes a minute there
TEST_F(ServiceOf, gw_mdf_where_there_is_too_much_to_search_for_the_best) {
  LogCapture log;
  Case c(1, Schedule::best);
  c.ranks = c.per_node = 2;
  c.options.method = Method::tam;
  c.options.local_aggregators = c.options.cb_nodes = 1;
  c.options.cb_buffer_size = stripe;
  c.traits = {};
  c.stripes = most_accesses_searched;
  const auto pieces = [](std::int64_t from, std::int64_t count) {
    plan::PlacedLayout layout = plan::repeat(plan::contiguous(piece), count, stripe);
    layout.offset = from;
    return plan::Pattern(layout, 0, piece * count);
  };
  c.patterns = {pieces(0, c.stripes - 2), pieces((c.stripes - 3) * stripe + piece, 3)};
  run(c, true);
  const plan::Windows windows = c.windows();
  c.options.schedule = Schedule::gw_mdf;
  expect_served_as_planned(seen(c, windows), planned(c, windows));
  ASSERT_EQ(log.messages().size(), 1U);
  EXPECT_NE(log.messages()[0].find("warning: file /order: headrace_schedule=best: 524289 accesses"),
            std::string::npos)
      << log.messages()[0];
}
#endif

INSTANTIATE_TEST_SUITE_P(Schedules, OrderOfService,
                         testing::Values(Schedule::offset, Schedule::mdf, Schedule::lw_mdf,
                                         Schedule::gw_mdf, Schedule::best),
                         [](const auto& info) {
                           return std::string(schedules[static_cast<std::size_t>(info.param)].name);
                         });

}  // namespace
}  // namespace headrace::engine
