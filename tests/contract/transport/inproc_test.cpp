// The in-process transport keeps both contracts.
#include <algorithm>

#include "contract/transport/messenger_contract.hpp"
#include "contract/transport/node_memory_contract.hpp"
#include "contract/transport/threads.hpp"
#include "transport/inproc/inproc_network.hpp"
#include "transport/inproc/inproc_node.hpp"

namespace headrace::test {
namespace {

/// `ranks` ranks in nodes of `per_node`.
MessengerWorld inproc_network(int ranks, int per_node) {
  const auto run = [=](const std::function<void(MessengerRank)>& body) {
    std::vector<int> leaders;
    for (int rank = 0; rank < ranks; rank += per_node) leaders.push_back(rank);
    const transport::InprocNetwork network(ranks, leaders);
    run_as_threads(ranks, [&](int rank) {
      const auto messenger = network.attach(rank);
      body({*messenger, rank % per_node == 0, static_cast<int>(leaders.size())});
    });
  };
  return {std::to_string(ranks) + "_ranks_by_" + std::to_string(per_node), run};
}

NodeWorld inproc_node(int ranks) {
  const auto run = [=](const std::function<void(transport::NodeMemory&)>& body) {
    const transport::InprocNode node(ranks);
    run_as_threads(ranks, [&](int rank) { body(*node.attach(rank)); });
  };
  return {std::to_string(ranks) + "_ranks", run};
}

INSTANTIATE_TEST_SUITE_P(Inproc, MessengerContract,
                         testing::Values(inproc_network(1, 1), inproc_network(2, 1),
                                         inproc_network(4, 1), inproc_network(5, 2)),
                         messenger_world_name);
INSTANTIATE_TEST_SUITE_P(Inproc, NodeMemoryContract,
                         testing::Values(inproc_node(1), inproc_node(2), inproc_node(4)),
                         node_world_name);

}  // namespace
}  // namespace headrace::test
