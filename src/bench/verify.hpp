// Whether a file holds what the workload says, byte by byte; through POSIX calls, whoever wrote it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

#include "plan/pattern.hpp"
#include "workload/workload.hpp"

namespace headrace::bench {

struct WrongByte {
  std::int64_t offset;
  int rank;  ///< whose byte it is; -1: nobody's, it was to stay zero
};

/// The wrong byte of lowest offset after `calls` calls wrote the file, on every rank. Throws
/// std::runtime_error where the file cannot be read, or has not the size that it must have.
/// Collective over `comm`, of as many ranks as the workload: each reads its own part.
std::optional<WrongByte> wrong_byte_of_file(MPI_Comm comm, const workload::Workload& workload,
                                            std::int64_t calls, const std::string& path);

/// The wrong byte of lowest offset that any rank has found, on every rank.
std::optional<WrongByte> lowest_of_all(MPI_Comm comm, const std::optional<WrongByte>& mine);

}  // namespace headrace::bench
