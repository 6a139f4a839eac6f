// Teams of ranks that are threads of one process, cut into make-believe nodes.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "engine/collective_file.hpp"
#include "support/late_messenger.hpp"
#include "transport/inproc/inproc_network.hpp"
#include "transport/inproc/inproc_node.hpp"

namespace headrace::test {

class ThreadTeams {
 public:
  ThreadTeams(int ranks, int per_node) : nodes_(plan::NodeMap::blocks(ranks, per_node)) {
    std::vector<int> leaders;
    for (int node = 0; node < nodes_.node_count(); ++node)
      leaders.push_back(nodes_.ranks_of(node)[0]);
    const transport::InprocNetwork network(ranks, leaders);
    for (int node = 0; node < nodes_.node_count(); ++node) {
      const transport::InprocNode memory(static_cast<int>(nodes_.ranks_of(node).size()));
      for (const int rank : nodes_.ranks_of(node)) {
        auto team = std::make_unique<transport::Team>();
        team->rank = rank;
        team->nodes = nodes_;
        team->hosts.assign(nodes_.node_count(), "host");
        team->node = memory.attach(nodes_.local_rank(rank));
        if (nodes_.node_count() > 1) team->messenger = network.attach(rank);
        teams_.push_back(std::move(team));
      }
    }
  }

  /// From now on messages leave late. Before the first run.
  void make_late() {
    const auto looks = std::make_shared<LateMessenger::Looks>(teams_.size());
    for (const auto& team : teams_)
      if (team->messenger)
        team->messenger = std::make_unique<LateMessenger>(std::move(team->messenger), looks);
  }

  /// Calls body(team) on a thread per rank, and waits for all.
  void run(const std::function<void(transport::Team&)>& body) {
    std::vector<std::jthread> threads;
    for (const auto& team : teams_) threads.emplace_back([&body, &team] { body(*team); });
  }

 private:
  plan::NodeMap nodes_;
  std::vector<std::unique_ptr<transport::Team>> teams_;
};

}  // namespace headrace::test
