#include "plan/window_table.hpp"

#include <algorithm>

namespace headrace::plan {

WindowTable::WindowTable(std::span<const int> owners, int aggregators, std::int64_t cell,
                         std::int64_t window_bytes)
    : of_aggregator_(aggregators) {
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(window_bytes / cell, 1));
  for (std::size_t first = 0; first < owners.size();) {
    std::size_t end = first + 1;
    while (end < owners.size() && owners[end] == owners[first] && end - first < most) ++end;
    std::vector<int>& own = of_aggregator_[owners[first]];
    numbers_.push_back(std::ssize(own) * aggregators + owners[first]);
    own.push_back(static_cast<int>(begins_.size()));
    begins_.push_back(static_cast<std::int64_t>(first) * cell);
    first = end;
  }
  begins_.push_back(std::ssize(owners) * cell);
}

WindowNumber WindowTable::number_at(std::int64_t place) const noexcept {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), place);
  return numbers_[after - begins_.begin() - 1];
}

Extent WindowTable::extent(WindowNumber number) const noexcept {
  const int window =
      of_aggregator_[number % std::ssize(of_aggregator_)][number / std::ssize(of_aggregator_)];
  return {begins_[window], begins_[window + 1]};
}

}  // namespace headrace::plan
