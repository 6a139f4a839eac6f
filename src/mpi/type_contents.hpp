// How a datatype was made: its combiner and the constructor's arguments, in one form for the
// ordinary constructors and for the large-count ones of MPI 4.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/status.hpp"
#include "mpi/datatype_handle.hpp"
#include "mpi/number_list.hpp"

namespace headrace::mpi {

struct TypeContents {
  /// MPI_COMBINER_*
  int combiner = MPI_COMBINER_NAMED;
  /// The numbers: every count, displacement and enumerator, as MPI gives them; what is wide behind
  /// what is not. None of a predefined datatype.
  RawVector<int> integers;
  RawVector<std::int64_t> wide;
  /// Freed with the contents, unless they are predefined.
  std::vector<DatatypeHandle> types;

  /// All numbers, in the order in which the C binding of the ordinary constructor takes them. For
  /// combiners of few.
  std::vector<std::int64_t> numbers() const;
  /// `count` of the numbers, from number `first` on: an array of a constructor of the indexed
  /// kinds. Lives as long as the contents.
  NumberList list(std::size_t first, std::size_t count) const;

  /// Named, or one of the unnamed predefined ones that MPI_Type_create_f90_* give.
  bool predefined() const noexcept;
};

/// Whether `type` is one that must not be freed.
Result<bool> is_predefined(MPI_Datatype type);

Result<TypeContents> contents_of(MPI_Datatype type);

}  // namespace headrace::mpi
