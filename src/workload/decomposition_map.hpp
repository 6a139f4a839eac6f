// Recorded decomposition maps: which elements of its global arrays each process of a real E3SM run
// had. NetCDF files as the E3SM-IO benchmark has them: for every map D1, D2, ... the attributes
// Dk.ndims and Dk.dims, and the variables Dk.nreqs, Dk.offsets and Dk.lengths.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace headrace::workload {

/// A request: `length` elements from element `offset` of the flattened array on.
struct ElementRun {
  std::int64_t offset;
  std::int64_t length;
};

/// One map Dk.
struct Decomposition {
  std::vector<std::int64_t> shape;  ///< of the array, row-major
  /// All processes' requests one after another, each process's in ascending order. No two share an
  /// element.
  std::vector<ElementRun> requests;
  /// Process p has the requests [first[p], first[p + 1]).
  std::vector<std::int64_t> first;

  /// Of the whole array.
  std::int64_t array_elements() const;
  /// Of all requests.
  std::int64_t recorded_elements() const;
};

struct DecompositionMap {
  std::int64_t processes = 0;
  std::vector<Decomposition> decompositions;
};

/// Reads all maps of the file and sorts each process's requests, for the files list them in the
/// program's own order. Fails on what cannot be read or contradicts itself. May throw
/// std::overflow_error. Not thread-safe: the netCDF library is not.
Result<DecompositionMap> read_decomposition_map(const std::string& path);

}  // namespace headrace::workload
