// What make_team makes of MPI_COMM_WORLD: node memory and messengers that keep their contracts, cut
// as HEADRACE_RANKS_PER_NODE says.
#include <mpi.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <vector>

#include "base/log.hpp"
#include "contract/transport/messenger_contract.hpp"
#include "contract/transport/node_memory_contract.hpp"
#include "mpi/collectives.hpp"
#include "transport/mpi/make_team.hpp"

namespace headrace::test {
namespace {

using TeamPointer = std::unique_ptr<transport::Team>;

constexpr const char* variable = "HEADRACE_RANKS_PER_NODE";

/// `per_node`: the variable's value; null: not set.
TeamPointer team_of(MPI_Comm comm, const char* per_node) {
  if (per_node != nullptr) setenv(variable, per_node, 1);
  auto team = transport::make_team(comm);
  unsetenv(variable);
  EXPECT_TRUE(team.ok()) << team.status().message();
  return team.ok() ? std::move(*team) : nullptr;
}

int world_size() {
  int size = 0;
  EXPECT_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
  return size;
}

NodeWorld node_world(const char* name, const char* per_node) {
  return {name, [=](const auto& body) {
            const auto team = team_of(MPI_COMM_WORLD, per_node);
            ASSERT_TRUE(team);
            body(*team->node);
          }};
}

MessengerWorld messenger_world(const char* name, const char* per_node) {
  return {name, [=](const auto& body) {
            const auto team = team_of(MPI_COMM_WORLD, per_node);
            ASSERT_TRUE(team);
            if (!team->messenger) return;  // all on one node
            body({*team->messenger, team->node->rank() == 0, team->nodes.node_count()});
          }};
}

INSTANTIATE_TEST_SUITE_P(Team, NodeMemoryContract,
                         testing::Values(node_world("one_node", nullptr),
                                         node_world("nodes_of_2", "2")),
                         node_world_name);
INSTANTIATE_TEST_SUITE_P(Team, MessengerContract,
                         testing::Values(messenger_world("nodes_of_2", "2")), messenger_world_name);

void expect_blocks(const transport::Team& team, int per_node) {
  const int size = world_size();
  ASSERT_EQ(team.nodes.rank_count(), size);
  EXPECT_EQ(team.nodes.node_count(), (size + per_node - 1) / per_node);
  for (int rank = 0; rank < size; ++rank) EXPECT_EQ(team.nodes.node_of(rank), rank / per_node);
  EXPECT_EQ(team.node->rank(), team.rank % per_node);
  EXPECT_EQ(team.node->size(), std::ssize(team.nodes.ranks_of(team.rank / per_node)));
  EXPECT_EQ(team.messenger != nullptr, team.nodes.node_count() > 1);
}

// These tests run on one machine.
TEST(Team, ranks_of_one_machine_are_one_node) {
  expect_blocks(*team_of(MPI_COMM_WORLD, nullptr), world_size());
}

TEST(Team, the_machine_is_cut_into_nodes) {
  expect_blocks(*team_of(MPI_COMM_WORLD, "1"), 1);
  expect_blocks(*team_of(MPI_COMM_WORLD, "2"), 2);
  expect_blocks(*team_of(MPI_COMM_WORLD, "3"), 3);
  expect_blocks(*team_of(MPI_COMM_WORLD, "2000000000"), world_size());
}

TEST(Team, a_bad_number_of_ranks_is_named_once_and_ignored) {
  const LogCapture log;
  int rank = 0;
  for (const char* bad : {"two", "0"}) {
    const auto team = team_of(MPI_COMM_WORLD, bad);
    expect_blocks(*team, world_size());
    rank = team->rank;
  }
  ASSERT_EQ(log.messages().size(), rank == 0 ? 1U : 0U);
  for (const std::string& message : log.messages())
    EXPECT_NE(message.find("RANKS_PER_NODE=two"), std::string::npos) << message;
}

TEST(Team, without_shared_memory_on_one_rank_each_is_a_node_and_one_says_why) {
  if (world_size() == 1) return;  // it needs none
  const LogCapture log;
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  int rank = 0;
  ASSERT_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
  const rlimit none{rank == 1 ? 4'096 : limit.rlim_cur, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const auto team = team_of(MPI_COMM_WORLD, nullptr);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  expect_blocks(*team, 1);
  auto said = mpi::gather_all(static_cast<int>(log.messages().size()), MPI_COMM_WORLD);
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(std::accumulate(said->begin(), said->end(), 0), 1);
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// MPICH can number 2,048 communicators at a time.
TEST(Team, opening_and_closing_alone_leaks_nothing) {
  team_of(MPI_COMM_SELF, nullptr);
  const auto before = open_files();
  for (int i = 0; i < 1'500; ++i) team_of(MPI_COMM_SELF, nullptr);
  EXPECT_EQ(open_files(), before);
}

// Few: the host's splits spin where there are more ranks than cores.
TEST(Team, opening_and_closing_together_leaks_no_file) {
  team_of(MPI_COMM_WORLD, "2");
  const auto before = open_files();
  for (int i = 0; i < 20; ++i) team_of(MPI_COMM_WORLD, "2");
  EXPECT_EQ(open_files(), before);
}

}  // namespace
}  // namespace headrace::test
