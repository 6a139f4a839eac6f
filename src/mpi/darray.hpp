// Arrays cut into regular parts: MPI_Type_create_subarray and MPI_Type_create_darray. Both are the
// same thing, a choice of indices along each axis, and share one way to a layout.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mpi/datatype.hpp"
#include "plan/layout.hpp"

namespace headrace::mpi {

/// The indices chosen along one axis of `size` elements: [first + j*period, first + j*period +
/// block) for j = 0, 1, ..., as far as they are below `size`. period >= 1.
struct Axis {
  std::int64_t size = 0;
  std::int64_t first = 0;
  std::int64_t block = 0;
  std::int64_t period = 1;
};

/// Axes in the order of memory, the fastest first. `numbers` are those of TypeContents::numbers, of
/// the combiner.
std::vector<Axis> subarray_axes(std::span<const std::int64_t> numbers);
std::vector<Axis> darray_axes(std::span<const std::int64_t> numbers);

/// The chosen elements of an array of `element`. As typemap.hpp, it throws std::overflow_error.
plan::PlacedLayout array_layout(const Datatype& element, std::span<const Axis> axes);

}  // namespace headrace::mpi
