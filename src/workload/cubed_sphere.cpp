#include "workload/cubed_sphere.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace headrace::workload {
namespace {

/// A square that the curve enters at `corner` and leaves at the other end of `along`. The two sides
/// are vectors, one of them along x and the other along y.
struct CurveSquare {
  Cell corner;
  Cell along;
  Cell across;
};

Cell plus(Cell a, Cell b) {
  return {a.x + b.x, a.y + b.y};
}
Cell half(Cell a) {
  return {a.x / 2, a.y / 2};
}
Cell minus(Cell a) {
  return {-a.x, -a.y};
}

/// In the order of the curve.
std::array<CurveSquare, 4> quarters(const CurveSquare& square) {
  const Cell along = half(square.along);
  const Cell across = half(square.across);
  const Cell middle = plus(square.corner, across);
  return {{{square.corner, across, along},
           {middle, along, across},
           {plus(middle, along), along, across},
           {plus(plus(square.corner, square.along), across), minus(across), minus(along)}}};
}

/// The cell nearest to the origin.
Cell lowest(const CurveSquare& square) {
  const Cell opposite = plus(square.corner, plus(square.along, square.across));
  return {std::min(square.corner.x, opposite.x), std::min(square.corner.y, opposite.y)};
}

/// How many cells of the square of `size` lie in the side x side cells.
std::int64_t cells_within(const CurveSquare& square, std::int64_t size, std::int64_t side) {
  const Cell low = lowest(square);
  const auto clipped = [=](std::int64_t begin) {
    return std::clamp<std::int64_t>(side - begin, 0, size);
  };
  return clipped(low.x) * clipped(low.y);
}

}  // namespace

Cell cell_on_curve(std::int64_t side, std::int64_t index) {
  auto size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(side)));
  CurveSquare square{{0, 0}, {size, 0}, {0, size}};
  while (size > 1) {
    size /= 2;
    for (const CurveSquare& quarter : quarters(square)) {
      const std::int64_t cells = cells_within(quarter, size, side);
      square = quarter;
      if (index < cells) break;
      index -= cells;
    }
  }
  return lowest(square);
}

std::int64_t CubedSphere::column_on_curve(std::int64_t place) const {
  const std::int64_t face = place / face_columns();
  if (place >= 6 * face_columns()) return place;
  const Cell cell = cell_on_curve(edge(), place - face * face_columns());
  return face * face_columns() + cell.y * edge() + cell.x;
}

std::int64_t CubedSphere::row_of_element(std::int64_t place, std::int64_t row) const {
  const std::int64_t face = place / (ne_ * ne_);
  const Cell cell = cell_on_curve(ne_, place - face * ne_ * ne_);
  return face * face_columns() + (element_edge * cell.y + row) * edge() + element_edge * cell.x;
}

}  // namespace headrace::workload
