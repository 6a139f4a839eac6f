#include "plan/node_map.hpp"

#include <numeric>
#include <unordered_map>

namespace headrace::plan {

NodeMap::NodeMap(std::span<const int> node_of)
    : node_of_(node_of.size()), local_rank_(node_of.size()) {
  std::unordered_map<int, int> number;
  std::vector<int> population;
  for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
    const auto [it, is_new] = number.try_emplace(node_of[rank], static_cast<int>(number.size()));
    if (is_new) population.push_back(0);
    node_of_[rank] = it->second;
    local_rank_[rank] = population[it->second]++;
  }
  first_.resize(population.size() + 1);
  std::partial_sum(population.begin(), population.end(), first_.begin() + 1);
  ranks_.resize(node_of.size());
  for (std::size_t rank = 0; rank < node_of.size(); ++rank)
    ranks_[first_[node_of_[rank]] + local_rank_[rank]] = static_cast<int>(rank);
}

NodeMap NodeMap::blocks(int ranks, int per_node) {
  std::vector<int> node_of(ranks);
  for (int rank = 0; rank < ranks; ++rank) node_of[rank] = rank / per_node;
  return NodeMap(node_of);
}

}  // namespace headrace::plan
