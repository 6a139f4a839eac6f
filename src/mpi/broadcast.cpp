#include "mpi/broadcast.hpp"

#include <cstdint>
#include <iterator>

#include "mpi/collectives.hpp"

namespace headrace::mpi {

Status broadcast(MPI_Comm comm, std::string& text) {
  std::int64_t length = std::ssize(text);
  Status status = broadcast_bytes(&length, sizeof length, comm);
  if (!status.ok()) return status;
  text.resize(static_cast<std::size_t>(length));
  return broadcast_bytes(text.data(), static_cast<int>(length), comm);
}

bool true_everywhere(MPI_Comm comm, bool here) noexcept {
  const Result<std::int64_t> least = minimum(here ? 1 : 0, comm);
  return least.ok() && *least == 1;
}

}  // namespace headrace::mpi
