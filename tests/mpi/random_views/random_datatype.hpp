// Random nested datatypes.
#pragma once

#include "datatype.hpp"
#include "support/random.hpp"

namespace headrace::test {

/// What a random datatype may look like.
struct Taste {
  /// Displacements, strides and bounds in bytes are multiples of this.
  std::int64_t unit = 1;
  /// Blocks mostly one after another, as a file view needs; else any order, any sign.
  bool ascending = false;
};

/// A committed datatype of nested constructors around `leaf`, at most `depth` deep. It may have no
/// bytes, and with either taste it may break the rules of file views or of receive buffers: the
/// caller checks its type map.
Datatype random_datatype(Random& random, const Datatype& leaf, Taste taste, int depth);

}  // namespace headrace::test
