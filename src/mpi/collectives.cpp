#include "mpi/collectives.hpp"

#include "mpi/errors.hpp"
#include "mpi/wait.hpp"

namespace headrace::mpi {
namespace {

/// `code`: what the call that started `request` returned.
Status complete(int code, MPI_Request& request, const char* what) {
  return status_of_mpi(code == MPI_SUCCESS ? wait(request) : code, what);
}

}  // namespace

Status gather_bytes(const void* mine, int bytes, void* all, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm, &request);
  return complete(code, request, "MPI_Iallgather");
}

Status minima(std::span<std::int64_t> values, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                                  MPI_INT64_T, MPI_MIN, comm, &request);
  return complete(code, request, "MPI_Iallreduce");
}

Result<std::int64_t> minimum(std::int64_t mine, MPI_Comm comm) {
  if (Status status = minima(std::span(&mine, 1), comm); !status.ok()) return status;
  return mine;
}

Status broadcast_bytes(void* bytes, int count, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Ibcast(bytes, count, MPI_BYTE, 0, comm, &request);
  return complete(code, request, "MPI_Ibcast");
}

}  // namespace headrace::mpi
