#include "mpi/darray.hpp"

#include <mpi.h>

#include <algorithm>

#include "base/checked_math.hpp"
#include "mpi/typemap.hpp"

namespace headrace::mpi {
namespace {

using plan::PlacedLayout;

std::int64_t ceiling_of(std::int64_t dividend, std::int64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0);
}

/// The constructors count axes in C order or in Fortran order; MPI_ORDER_C has the fastest last.
void put_fastest_first(std::vector<Axis>& axes, std::int64_t order) {
  if (order == MPI_ORDER_C) std::reverse(axes.begin(), axes.end());
}

/// What process `coordinate` of `processes` has of an axis. A block distribution and an axis that
/// is not distributed are cyclic ones whose blocks are large enough for one turn.
Axis distributed_axis(std::int64_t size, std::int64_t distribution, std::int64_t argument,
                      std::int64_t processes, std::int64_t coordinate) {
  std::int64_t block = argument;
  if (distribution == MPI_DISTRIBUTE_NONE)
    block = size;
  else if (argument == MPI_DISTRIBUTE_DFLT_DARG)
    block = distribution == MPI_DISTRIBUTE_BLOCK ? ceiling_of(size, processes) : 1;
  return {size, checked_multiply(coordinate, block), block, checked_multiply(processes, block)};
}

PlacedLayout along_axis(const PlacedLayout& inner, const Axis& axis, std::int64_t stride) {
  if (axis.first >= axis.size) return {};
  const std::int64_t turns = (axis.size - 1 - axis.first) / axis.period + 1;
  const std::int64_t last = axis.first + (turns - 1) * axis.period;
  const std::int64_t last_block = std::min(axis.block, axis.size - last);
  const std::int64_t whole = last_block == axis.block ? turns : turns - 1;
  const auto block_at = [&](std::int64_t index, std::int64_t length) {
    return moved(repeated(inner, length, stride), checked_multiply(index, stride));
  };
  const PlacedLayout parts[] = {
      repeated(block_at(axis.first, axis.block), whole, checked_multiply(axis.period, stride)),
      whole < turns ? block_at(last, last_block) : PlacedLayout{}};
  return plan::sequence(parts);
}

}  // namespace

std::vector<Axis> subarray_axes(std::span<const std::int64_t> numbers) {
  const std::int64_t dimensions = numbers[0];
  const auto sizes = numbers.subspan(1, dimensions);
  const auto subsizes = numbers.subspan(1 + dimensions, dimensions);
  const auto starts = numbers.subspan(1 + 2 * dimensions, dimensions);
  std::vector<Axis> axes;
  for (std::int64_t d = 0; d < dimensions; ++d)
    axes.push_back({sizes[d], starts[d], subsizes[d], sizes[d]});
  put_fastest_first(axes, numbers[1 + 3 * dimensions]);
  return axes;
}

std::vector<Axis> darray_axes(std::span<const std::int64_t> numbers) {
  const std::int64_t dimensions = numbers[2];
  const auto sizes = numbers.subspan(3, dimensions);
  const auto distributions = numbers.subspan(3 + dimensions, dimensions);
  const auto arguments = numbers.subspan(3 + 2 * dimensions, dimensions);
  const auto processes = numbers.subspan(3 + 3 * dimensions, dimensions);
  std::vector<Axis> axes(dimensions);
  // The process grid is row-major whatever the order of the array (MPI 4.0, section 5.1.4).
  std::int64_t rank = numbers[1];
  for (std::int64_t d = dimensions - 1; d >= 0; --d) {
    axes[d] = distributed_axis(sizes[d], distributions[d], arguments[d], processes[d],
                               rank % processes[d]);
    rank /= processes[d];
  }
  put_fastest_first(axes, numbers[3 + 4 * dimensions]);
  return axes;
}

PlacedLayout array_layout(const Datatype& element, std::span<const Axis> axes) {
  PlacedLayout layout = element.layout;
  std::int64_t stride = element.extent;
  for (const Axis& axis : axes) {
    layout = along_axis(layout, axis, stride);
    stride = checked_multiply(stride, axis.size);
  }
  return layout;
}

}  // namespace headrace::mpi
