#include "capi/agreement.hpp"

#include <array>
#include <cstdint>

#include "mpi/collectives.hpp"
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
  int rank = 0;
  const int code = MPI_Comm_rank(comm, &rank);
  if (code != MPI_SUCCESS) return verdict_of_mpi(code, "MPI_Comm_rank");
  // The greatest class, and the first rank that has it.
  constexpr std::int64_t more_than_ranks = std::int64_t{1} << 32;
  const auto worst = mpi::minimum(rank - mine.error_class * more_than_ranks, comm);
  if (!worst.ok()) return verdict_of(worst.status());
  const std::int64_t owner = *worst & (more_than_ranks - 1);
  const std::int64_t error_class = (owner - *worst) / more_than_ranks;
  if (error_class == MPI_SUCCESS) return {};
  return broadcast_message(comm, static_cast<int>(error_class), static_cast<int>(owner),
                           mine.message);
}

Verdict agree_on_value(MPI_Comm comm, std::int64_t value, const char* what) {
  // The minimum of the complements is the complement of the maximum.
  std::array<std::int64_t, 2> extremes{value, ~value};
  if (const Status status = mpi::minima(extremes, comm); !status.ok()) return verdict_of(status);
  if (extremes[0] == ~extremes[1]) return {};
  return {MPI_ERR_NOT_SAME, std::string(what) + " differs between the ranks"};
}

}  // namespace headrace::capi
