// The columns of E3SM's atmosphere: a cubed sphere whose six faces have ne x ne elements each,
// every element 3 x 3 columns of its own, and two columns more where corners of the cube are left
// over. Columns are numbered face by face, row by row.
#pragma once

#include <cstdint>

namespace headrace::workload {

struct Cell {
  std::int64_t x;
  std::int64_t y;
};

/// Cell number `index` of the side x side cells as a Hilbert curve visits them; of the curve on the
/// next power of two, what lies outside is left out. O(log side) time, no memory.
/// Precondition: 0 <= index < side * side.
Cell cell_on_curve(std::int64_t side, std::int64_t index);

class CubedSphere {
 public:
  explicit CubedSphere(std::int64_t ne) : ne_(ne) {}

  /// 54 ne^2 + 2.
  std::int64_t columns() const { return 6 * face_columns() + extra_columns; }
  std::int64_t elements() const { return 6 * ne_ * ne_; }
  /// The columns that belong to no element are the last ones, on the curve and by number.
  static constexpr std::int64_t extra_columns = 2;
  static constexpr std::int64_t element_edge = 3;

  /// The column at a place of the curve through all columns, face after face.
  std::int64_t column_on_curve(std::int64_t place) const;
  /// The first column of row `row`, 0 to 2, of the element at a place of the curve through all
  /// elements.
  std::int64_t row_of_element(std::int64_t place, std::int64_t row) const;

 private:
  std::int64_t edge() const { return element_edge * ne_; }
  std::int64_t face_columns() const { return edge() * edge(); }

  std::int64_t ne_;
};

}  // namespace headrace::workload
