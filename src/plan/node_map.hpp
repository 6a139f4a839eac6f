// Which rank is on which node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headrace::plan {

/// Nodes are numbered in the order of their lowest rank, and the ranks of a node ascend.
/// O(ranks) memory, made once per communicator.
class NodeMap {
 public:
  NodeMap() = default;
  /// node_of[r]: any number that is the same for the ranks of one node.
  explicit NodeMap(std::span<const int> node_of);
  /// `ranks` ranks in blocks of `per_node`.
  static NodeMap blocks(int ranks, int per_node);

  int rank_count() const noexcept { return static_cast<int>(node_of_.size()); }
  int node_count() const noexcept { return static_cast<int>(first_.size()) - 1; }
  int node_of(int rank) const { return node_of_[rank]; }
  /// The rank's place among the ranks of its node, from 0.
  int local_rank(int rank) const { return local_rank_[rank]; }
  std::span<const int> ranks_of(int node) const {
    return std::span(ranks_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  std::vector<int> node_of_;
  std::vector<int> local_rank_;
  std::vector<int> ranks_;     // grouped by node
  std::vector<int> first_{0};  // of each node's group in ranks_
};

}  // namespace headrace::plan
