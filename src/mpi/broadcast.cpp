#include "mpi/broadcast.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>

#include "mpi/collectives.hpp"

namespace headrace::mpi {

/// Mostly one message: the first one has room for what most texts are.
Status broadcast(MPI_Comm comm, std::string& text) {
  struct {
    std::int64_t length;
    std::array<char, 2040> begin;
  } first{std::ssize(text), {}};
  text.copy(first.begin.data(), first.begin.size());
  Status status = broadcast_bytes(std::as_writable_bytes(std::span(&first, 1)), comm);
  if (!status.ok()) return status;
  text.resize(static_cast<std::size_t>(first.length));
  const std::size_t got = std::min(text.size(), first.begin.size());
  std::copy_n(first.begin.begin(), got, text.begin());
  if (got == text.size()) return {};
  return broadcast_bytes(std::as_writable_bytes(std::span(text).subspan(got)), comm);
}

}  // namespace headrace::mpi
