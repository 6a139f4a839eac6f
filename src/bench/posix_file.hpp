// One rank's file descriptor on a file that all ranks share.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/unique_fd.hpp"

namespace headrace::bench {

/// Functions throw std::runtime_error naming the file.
class PosixFile {
 public:
  /// Collective: rank 0 creates the file, if it is to be written, before the others open it.
  void open(MPI_Comm comm, const std::string& path, bool is_write);
  void close() { fd_ = UniqueFd(); }
  /// All of `bytes`.
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  /// All of `bytes`; the end of the file before that is an error.
  void read_at(std::int64_t offset, std::span<std::byte> bytes) const;

 private:
  UniqueFd fd_;
  std::string path_;
};

}  // namespace headrace::bench
