// How a datatype was made: its combiner and the constructor's arguments, in one form for the
// ordinary constructors and for the large-count ones of MPI 4.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/status.hpp"
#include "mpi/datatype_handle.hpp"

namespace headrace::mpi {

struct TypeContents {
  /// MPI_COMBINER_*
  int combiner = MPI_COMBINER_NAMED;
  /// Every count, displacement and enumerator, in the order in which the C binding of the ordinary
  /// constructor takes them. Empty for a predefined datatype.
  RawVector<std::int64_t> numbers;
  /// Freed with the contents, unless they are predefined.
  std::vector<DatatypeHandle> types;

  /// Named, or one of the unnamed predefined ones that MPI_Type_create_f90_* give.
  bool predefined() const noexcept;
};

/// Whether `type` is one that must not be freed.
Result<bool> is_predefined(MPI_Datatype type);

Result<TypeContents> contents_of(MPI_Datatype type);

}  // namespace headrace::mpi
