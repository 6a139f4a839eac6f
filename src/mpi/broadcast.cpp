#include "mpi/broadcast.hpp"

#include <cstdint>
#include <iterator>

#include "mpi/collectives.hpp"
#include "mpi/errors.hpp"
#include "mpi/wait.hpp"

namespace headrace::mpi {
namespace {

Status broadcast_bytes(MPI_Comm comm, void* bytes, int count) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Ibcast(bytes, count, MPI_BYTE, 0, comm, &request);
  return status_of_mpi(code == MPI_SUCCESS ? wait(request) : code, "MPI_Ibcast");
}

}  // namespace

Status broadcast(MPI_Comm comm, std::string& text) {
  const Result<std::int64_t> length = value_of_rank_0(std::ssize(text), comm);
  if (!length.ok()) return length.status();
  text.resize(static_cast<std::size_t>(*length));
  return broadcast_bytes(comm, text.data(), static_cast<int>(*length));
}

bool true_everywhere(MPI_Comm comm, bool here) noexcept {
  const Result<std::int64_t> least = minimum(here ? 1 : 0, comm);
  return least.ok() && *least == 1;
}

}  // namespace headrace::mpi
