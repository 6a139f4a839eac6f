// From a decoded layout back to a datatype, made by the plainest constructors.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/status.hpp"
#include "mpi/datatype_handle.hpp"
#include "mpi/large_count.hpp"
#include "plan/layout.hpp"

namespace headrace::mpi {

/// What datatypes are made of: one of `bytes` bytes, without holes.
struct Unit {
  MPI_Datatype type = MPI_BYTE;
  std::int64_t bytes = 1;
};

/// A committed datatype of these bounds, whose bytes are those of `layout`, in its order. As
/// compact as the layout. An error where a length or a count of the layout is over 2^31, or a block
/// of it is not of whole units, or MPI cannot make it.
Result<DatatypeHandle> plain_type(const plan::PlacedLayout& layout, Bounds bounds,
                                  const Unit& unit = {});

/// The same, of bytes, with the bounds that they have: for one copy alone.
Result<DatatypeHandle> plain_data(const plan::PlacedLayout& layout);

/// `count` bytes, committed. 0 <= count < 2^31.
Result<DatatypeHandle> plain_bytes(std::int64_t count);

}  // namespace headrace::mpi
