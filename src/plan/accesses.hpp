// Which processes touch which windows: what schedules are made from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.hpp"

namespace headrace::plan {

/// Windows are numbered as in plan::Windows, so that window n belongs to aggregator n mod P_G; with
/// stripes that fit a collective buffer they are the stripes themselves. Those that somebody
/// touches have an index here, in ascending order; the others take no time, and do not exist.
/// Immutable. Memory: 4 bytes an access, 8 bytes a window.
class Accesses {
 public:
  /// by_process[p]: the windows that process p touches, ascending (Windows::touched).
  Accesses(int aggregators, std::span<const std::vector<WindowNumber>> by_process);

  int aggregators() const noexcept { return aggregators_; }
  int processes() const noexcept { return static_cast<int>(first_.size()) - 1; }
  /// How many windows are touched.
  int windows() const noexcept { return static_cast<int>(numbers_.size()); }

  WindowNumber number(int window) const { return numbers_[window]; }
  int aggregator_of(int window) const { return static_cast<int>(numbers_[window] % aggregators_); }
  /// The indices of the windows of one process, ascending.
  std::span<const int> of(int process) const {
    return std::span(touched_).subspan(first_[process], first_[process + 1] - first_[process]);
  }

  /// The numbers of the windows of one process, ascending.
  std::vector<WindowNumber> numbers_of(int process) const;

  /// Of every window, how many processes touch it.
  std::vector<int> degrees() const;

 private:
  int aggregators_;
  std::vector<WindowNumber> numbers_;
  std::vector<std::size_t> first_{0};  // of each process in touched_
  std::vector<int> touched_;
};

/// How many windows of each aggregator one process touches; made for one process after another.
class LocalCounts {
 public:
  explicit LocalCounts(int aggregators) : counts_(aggregators) {}

  /// Of a process that touches these. Forgets the process before. O(windows of both).
  void count(std::span<const WindowNumber> windows);
  int at(int aggregator) const { return counts_[aggregator]; }
  /// The count at the aggregator of a window.
  int beside(WindowNumber number) const { return counts_[aggregator_of(number)]; }
  /// The count at the aggregator that has the most; 0 for a process that touches nothing.
  int most() const noexcept { return most_; }

 private:
  std::size_t aggregator_of(WindowNumber number) const {
    return static_cast<std::size_t>(number) % counts_.size();
  }

  std::vector<int> counts_;
  std::vector<WindowNumber> counted_;
  int most_ = 0;
};

}  // namespace headrace::plan
