// The order in which global aggregators serve their windows: that of plan::make_queues for the same
// accesses, whatever the ranks and nodes, for writes and for reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

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

/// Ranks touch stripes at random, and a part of each.
class Case {
 public:
  Case(std::uint64_t seed, Schedule schedule) : random_({seed}) {
    ranks = static_cast<int>(random_.between(1, 9));
    per_node = static_cast<int>(random_.between(1, ranks));
    options.schedule = schedule;
    options.method = random_.pick({Method::two_phase, Method::tam});
    options.local_aggregators = random_.between(0, ranks);
    options.cb_nodes = random_.between(1, ranks);
    options.aggregator_placement =
        random_.pick({AggregatorPlacement::spread, AggregatorPlacement::round_robin});
    const bool is_striped = random_.chance(70);
    options.cb_buffer_size = is_striped ? 4096 : stripe;
    traits = {is_striped ? stripe : 0, is_striped ? 3 : 0, true};
    stripes = random_.between(1, 40);
    for (int rank = 0; rank < ranks; ++rank) patterns.push_back(pattern());
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
  plan::Pattern pattern() {
    std::vector<std::int64_t> offsets;
    const int chance = random_.pick({0, 10, 40, 80});
    for (std::int64_t i = 0; i < stripes; ++i)
      if (random_.chance(chance)) offsets.push_back(i * stripe + random_.between(0, stripe - 9));
    const std::vector<std::int64_t> lengths(offsets.size(), 8);
    return {plan::blocks(offsets, lengths), 0, std::ssize(offsets) * 8};
  }

  Random random_;
};

/// queues[a]: the windows of aggregator a, as the plan has them.
std::vector<std::vector<WindowNumber>> planned(const Case& c, const plan::Windows& windows) {
  std::vector<std::vector<WindowNumber>> touched;
  for (const plan::Pattern& each : c.patterns) touched.push_back(windows.touched(each));
  const plan::Accesses accesses(static_cast<int>(c.aggregators()), touched);
  std::vector<std::vector<WindowNumber>> queues;
  for (const std::vector<int>& queue : plan::make_queues(c.options.schedule, accesses)) {
    queues.emplace_back();
    for (const int window : queue) queues.back().push_back(accesses.number(window));
  }
  return queues;
}

/// The same as the storage has seen them: by the first access to each window.
std::vector<std::vector<WindowNumber>> seen(const Case& c, const plan::Windows& windows) {
  std::vector<std::vector<WindowNumber>> queues(c.aggregators());
  for (const std::int64_t offset : test::AccessRecord::take()) {
    const WindowNumber number = windows.number_at(offset);
    auto& queue = queues[windows.aggregator_of(number)];
    if (std::ranges::find(queue, number) == queue.end()) queue.push_back(number);
  }
  return queues;
}

/// Two windows are worked on at once, and whichever of them is ready is done. So a window may
/// overtake the one before it, and no other.
void expect_served_as_planned(std::vector<WindowNumber> served,
                              const std::vector<WindowNumber>& queue) {
  for (std::size_t i = 0; i + 1 < served.size() && i < queue.size(); ++i)
    if (served[i] != queue[i]) std::swap(served[i], served[i + 1]);
  EXPECT_EQ(served, queue);
}

class OrderOfService : public testing::TestWithParam<Schedule> {
 protected:
  void run(const Case& c, bool is_write) {
    file_->set_traits(c.traits);
    file_->put(0, std::vector<std::byte>(c.stripes * stripe));
    test::AccessRecord::take();
    test::ThreadTeams(c.ranks, c.per_node).run([&](Team& team) {
      CollectiveFile file(team, test::open_recording, "/order", storage::Access::read_write, 0,
                          c.options);
      const plan::Pattern& pattern = c.patterns[team.rank];
      std::vector<std::byte> buffer(pattern.size());
      const Call call{pattern,
                      plan::Pattern(plan::contiguous(pattern.size()), 0, pattern.size()),
                      buffer.data()};
      const Outcome outcome = is_write ? file.write_all(call) : file.read_all(call);
      EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
      EXPECT_EQ(outcome.bytes, pattern.size());
    });
  }

  std::shared_ptr<storage::MemoryFile> file_ = storage::MemoryFile::create("/order");
};

TEST_P(OrderOfService, is_that_of_the_plan) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Case c(seed, GetParam());
    if (c.range().empty()) continue;
    const plan::Windows windows = c.windows();
    for (const bool is_write : {true, false}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + (is_write ? ", write" : ", read"));
      run(c, is_write);
      const auto served = seen(c, windows);
      const auto queues = planned(c, windows);
      for (std::size_t i = 0; i < queues.size(); ++i)
        expect_served_as_planned(served[i], queues[i]);
    }
    ASSERT_FALSE(HasFailure());
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, OrderOfService,
                         testing::Values(Schedule::offset, Schedule::mdf, Schedule::lw_mdf,
                                         Schedule::gw_mdf, Schedule::best),
                         [](const auto& info) {
                           return std::string(schedules[static_cast<std::size_t>(info.param)].name);
                         });

}  // namespace
}  // namespace headrace::engine
