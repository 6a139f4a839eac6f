// The calls whose large-count form depends on the version of MPI, under one name each, and counts
// for those that take an int. Everything is in bytes, as 64-bit integers.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "base/checked_cast.hpp"
#include "base/status.hpp"
#include "mpi/errors.hpp"

namespace headrace::mpi {

#if MPI_VERSION >= 4
#define HEADRACE_LARGE_COUNT(function) function##_c
#else
#define HEADRACE_LARGE_COUNT(function) function##_x
#endif

struct Bounds {
  std::int64_t lb = 0;
  std::int64_t extent = 0;
};

inline Result<std::int64_t> size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  const int code = HEADRACE_LARGE_COUNT(MPI_Type_size)(type, &size);
  if (code != MPI_SUCCESS) return status_of_mpi(code, "MPI_Type_size");
  if (size < 0) return Status(ErrorClass::other, "MPI_Type_size: not known to this MPI");
  return std::int64_t{size};
}

inline Result<Bounds> extent_of(MPI_Datatype type) {
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  const int code = HEADRACE_LARGE_COUNT(MPI_Type_get_extent)(type, &lb, &extent);
  if (code != MPI_SUCCESS) return status_of_mpi(code, "MPI_Type_get_extent");
  return Bounds{lb, extent};
}

inline Result<Bounds> true_extent_of(MPI_Datatype type) {
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  const int code = HEADRACE_LARGE_COUNT(MPI_Type_get_true_extent)(type, &lb, &extent);
  if (code != MPI_SUCCESS) return status_of_mpi(code, "MPI_Type_get_true_extent");
  return Bounds{lb, extent};
}

#undef HEADRACE_LARGE_COUNT

/// What MPI's int cannot say is refused by MPI itself, as a negative count.
inline int int_count(std::size_t count) {
  return checked_cast<int>(count).value_or(-1);
}

/// Makes MPI_Get_count and MPI_Get_elements give what `bytes` bytes are in any datatype.
inline Status set_status_bytes(MPI_Status& status, std::int64_t bytes) {
  return status_of_mpi(MPI_Status_set_elements_x(&status, MPI_BYTE, bytes),
                       "MPI_Status_set_elements_x");
}

}  // namespace headrace::mpi
