// Windows that nothing but a table can tell: of pieces of any length, dealt to aggregators in any
// way.
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
  struct Piece {
    Extent places;
    WindowNumber number;  ///< of its window
  };

  /// `owners`: the aggregator of each cell of `cell` bytes. Neighbours of one owner make one piece;
  /// its pieces, as they come, make windows, of at most `window_bytes` with the gaps between them
  /// (plan::Window), or of one cell.
  WindowTable(std::span<const int> owners, int aggregators, std::int64_t cell,
              std::int64_t window_bytes);

  /// Of windows.
  std::int64_t count() const noexcept;
  /// As they lie in the file.
  std::span<const Piece> pieces() const noexcept { return pieces_; }
  /// The one that holds `place`. Precondition: there is one.
  const Piece& piece_at(std::int64_t place) const noexcept;
  /// Those of a window, ascending, by their indices. Precondition: there is such a window.
  std::span<const int> pieces_of(WindowNumber number) const noexcept;

 private:
  using WindowPieces = std::vector<int>;

  std::vector<Piece> pieces_;
  std::vector<std::vector<WindowPieces>> domains_;  // windows, by aggregator and round
};

}  // namespace headrace::plan
