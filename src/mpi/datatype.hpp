// Datatypes, decoded: from what MPI_Type_get_contents tells to a layout as compact as the
// constructors were. Decoded once, then cached on the datatype.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "base/status.hpp"
#include "plan/layout.hpp"

namespace headrace::mpi {

/// One copy of a datatype. Everything in bytes. Immutable.
struct Datatype {
  /// The data of one copy in type-map order; its zero is the address that a call is given.
  plan::PlacedLayout layout;
  std::int64_t size = 0;
  std::int64_t lb = 0;
  /// From one copy to the next, as the host MPI has it; may be zero or negative.
  std::int64_t extent = 0;
  /// The first byte of data and how far the last one is from it; both 0 for a datatype of no bytes.
  std::int64_t true_lb = 0;
  std::int64_t true_extent = 0;
};
using DatatypePtr = std::shared_ptr<const Datatype>;

/// `type` need not be committed. A second call for the same derived datatype, or for a duplicate
/// of it, gives the same pointer. What cannot be decoded with certainty (a combiner of a later MPI,
/// a type map beyond 64 bits, a size that contradicts the host MPI's) is an error of class `other`.
/// Thread-safe where MPI is MPI_THREAD_MULTIPLE; between MPI_Init and MPI_Finalize only.
Result<DatatypePtr> decode(MPI_Datatype type) noexcept;

}  // namespace headrace::mpi
