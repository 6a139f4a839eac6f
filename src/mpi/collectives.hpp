// Small collective calls that Headrace makes for itself, over one tree of messages. None keeps the
// core busy while it waits, and none may be under way twice on one communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/status.hpp"
#include "mpi/errors.hpp"

namespace headrace::mpi {

/// Everybody's bytes, as many of each rank, in rank order, into `all`.
Status gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all, MPI_Comm comm);

/// Everybody's object, in rank order; sent as bytes between machines of one kind.
template <class T>
Result<std::vector<T>> gather_all(const T& mine, MPI_Comm comm) {
  static_assert(std::is_trivially_copyable_v<T>);
  int size = 0;
  if (const int code = MPI_Comm_size(comm, &size); code != MPI_SUCCESS)
    return status_of_mpi(code, "MPI_Comm_size");
  std::vector<T> all(size);
  if (Status status = gather_bytes(std::as_bytes(std::span(&mine, 1)),
                                   std::as_writable_bytes(std::span(all)), comm);
      !status.ok())
    return status;
  return all;
}

/// The smallest of everybody's values, one by one, in place.
Status minima(std::span<std::int64_t> values, MPI_Comm comm);
/// The smallest of everybody's values.
Result<std::int64_t> minimum(std::int64_t mine, MPI_Comm comm);

/// Rank 0's bytes, on every rank.
Status broadcast_bytes(std::span<std::byte> bytes, MPI_Comm comm);

}  // namespace headrace::mpi
