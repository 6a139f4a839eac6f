// The layouts that the datatype constructors describe. No MPI call is made here. A layout that
// would reach beyond 64-bit offsets throws std::overflow_error.
#pragma once

#include <cstdint>
#include <span>

#include "mpi/datatype.hpp"
#include "mpi/number_list.hpp"
#include "plan/layout.hpp"

namespace headrace::mpi {

plan::PlacedLayout moved(plan::PlacedLayout layout, std::int64_t by);

/// `count` copies of `child`, each `stride` bytes after the one before.
plan::PlacedLayout repeated(const plan::PlacedLayout& child, std::int64_t count,
                            std::int64_t stride);

/// Block i is lengths[i] copies of a datatype, displacements[i] * unit bytes from zero. `types` has
/// one datatype for all blocks or one for each.
plan::PlacedLayout scattered(std::span<const DatatypePtr> types, const NumberList& lengths,
                             const NumberList& displacements, std::int64_t unit);

}  // namespace headrace::mpi
