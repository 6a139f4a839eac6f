// Windows that nothing but a table can tell: of any length, dealt to aggregators in any way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/extent.hpp"

namespace headrace::plan {

/// The part of the file that one global aggregator serves in one round. Numbers ascend with the
/// round, then with the aggregator: number = round * P_G + aggregator.
using WindowNumber = std::int64_t;

/// Places are bytes from the begin of the first cell.
class WindowTable {
 public:
  /// `owners`: the aggregator of each cell of `cell` bytes. Neighbours of one owner make one
  /// window, of at most `window_bytes`, or of one cell.
  WindowTable(std::span<const int> owners, int aggregators, std::int64_t cell,
              std::int64_t window_bytes);

  std::int64_t count() const noexcept { return std::ssize(numbers_); }
  WindowNumber number_at(std::int64_t place) const noexcept;
  /// Precondition: there is such a window.
  Extent extent(WindowNumber number) const noexcept;

 private:
  std::vector<std::int64_t> begins_;  // of all windows, and where the last one ends
  std::vector<WindowNumber> numbers_;
  std::vector<std::vector<int>> of_aggregator_;  // windows, by round
};

}  // namespace headrace::plan
