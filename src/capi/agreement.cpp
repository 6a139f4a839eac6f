#include "capi/agreement.hpp"

#include <array>

#include "mpi/errors.hpp"

namespace headrace::capi {
namespace {

/// Bytes of a message that travel; longer ones are cut.
constexpr std::size_t message_limit = 512;

Verdict broadcast_message(MPI_Comm comm, int error_class, int owner, const std::string& message) {
  std::array<char, message_limit> text{};
  message.copy(text.data(), message_limit - 1);
  const int code = MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, owner, comm);
  if (code != MPI_SUCCESS) return verdict_of_mpi(code, "MPI_Bcast");
  return {error_class, "rank " + std::to_string(owner) + ": " + text.data()};
}

}  // namespace

Verdict verdict_of(const Status& status) {
  return {mpi::mpi_error_class(status.error_class()), status.message()};
}

Verdict verdict_of_mpi(int code, const char* call) {
  return verdict_of(mpi::status_of_mpi(code, call));
}

Verdict agree(MPI_Comm comm, const Verdict& mine) {
  struct {
    int error_class;
    int rank;
  } worst{mine.error_class, 0};
  int code = MPI_Comm_rank(comm, &worst.rank);
  if (code != MPI_SUCCESS) return verdict_of_mpi(code, "MPI_Comm_rank");
  code = MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_2INT, MPI_MAXLOC, comm);
  if (code != MPI_SUCCESS) return verdict_of_mpi(code, "MPI_Allreduce");
  if (worst.error_class == MPI_SUCCESS) return {};
  return broadcast_message(comm, worst.error_class, worst.rank, mine.message);
}

Verdict agree_on_value(MPI_Comm comm, std::int64_t value, const char* what) {
  // The maximum of the complements is the complement of the minimum.
  std::array<std::int64_t, 2> extremes{value, ~value};
  const int code = MPI_Allreduce(MPI_IN_PLACE, extremes.data(), 2, MPI_INT64_T, MPI_MAX, comm);
  if (code != MPI_SUCCESS) return verdict_of_mpi(code, "MPI_Allreduce");
  if (extremes[0] == ~extremes[1]) return {};
  return {MPI_ERR_NOT_SAME, std::string(what) + " differs between the ranks"};
}

}  // namespace headrace::capi
