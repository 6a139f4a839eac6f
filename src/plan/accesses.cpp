#include "plan/accesses.hpp"

#include <algorithm>

namespace headrace::plan {

Accesses::Accesses(int aggregators, std::span<const std::vector<WindowNumber>> by_process)
    : aggregators_(aggregators) {
  for (const auto& windows : by_process)
    numbers_.insert(numbers_.end(), windows.begin(), windows.end());
  touched_.reserve(numbers_.size());
  std::sort(numbers_.begin(), numbers_.end());
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  for (const auto& windows : by_process) {
    for (const WindowNumber number : windows) {
      const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
      touched_.push_back(static_cast<int>(found - numbers_.begin()));
    }
    first_.push_back(touched_.size());
  }
}

std::vector<int> Accesses::degrees() const {
  std::vector<int> degrees(windows());
  for (const int window : touched_) ++degrees[window];
  return degrees;
}

std::vector<WindowNumber> Accesses::numbers_of(int process) const {
  std::vector<WindowNumber> numbers;
  for (const int window : of(process)) numbers.push_back(number(window));
  return numbers;
}

void LocalCounts::count(std::span<const WindowNumber> windows) {
  for (const WindowNumber number : counted_) counts_[aggregator_of(number)] = 0;
  most_ = 0;
  counted_.assign(windows.begin(), windows.end());
  for (const WindowNumber number : counted_)
    most_ = std::max(most_, ++counts_[aggregator_of(number)]);
}

}  // namespace headrace::plan
