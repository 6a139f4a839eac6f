// From a decoded layout back to a datatype, made of bytes by the plainest constructors.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/status.hpp"
#include "mpi/datatype_handle.hpp"
#include "plan/layout.hpp"

namespace headrace::mpi {

/// A committed datatype of lower bound 0 and the given extent, whose bytes are those of `layout`,
/// in its order. As compact as the layout. An error where a length or a count of the layout is over
/// 2^31, or MPI cannot make it.
Result<DatatypeHandle> plain_type(const plan::PlacedLayout& layout, std::int64_t extent);

/// The same, with the bounds that the bytes have: for one copy alone.
Result<DatatypeHandle> plain_data(const plan::PlacedLayout& layout);

/// `count` bytes, committed. 0 <= count < 2^31.
Result<DatatypeHandle> plain_bytes(std::int64_t count);

}  // namespace headrace::mpi
