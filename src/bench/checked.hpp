// MPI calls of the benchmark: what fails ends the run, with a reason.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "base/checked_cast.hpp"
#include "mpi/errors.hpp"

namespace headrace::bench {

/// Throws std::runtime_error unless `code` is MPI_SUCCESS.
inline void check(int code, const char* call) {
  if (const Status status = mpi::status_of_mpi(code, call); !status.ok())
    throw std::runtime_error(status.message());
}

/// `value` as the int that MPI's counts are; throws std::runtime_error where it is none.
inline int count_of(std::int64_t value, const char* what) {
  if (const auto count = checked_cast<int>(value)) return *count;
  throw std::runtime_error(std::string(what) +
                           ": over 2 GiB in one call of a rank; use more ranks");
}

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = 0;
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return size;
}

/// The result of a reduction over all ranks.
template <class T>
T reduced(MPI_Comm comm, T mine, MPI_Datatype type, MPI_Op operation) {
  T result{};
  check(MPI_Allreduce(&mine, &result, 1, type, operation, comm), "MPI_Allreduce");
  return result;
}

}  // namespace headrace::bench
