// The hints that users give for a file: by MPI_Info and by the environment.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "base/options.hpp"
#include "base/status.hpp"

namespace headrace::mpi {

/// The keys and values of `info`; none for MPI_INFO_NULL, or where MPI fails.
std::vector<Hint> hints_of_info(MPI_Info info);

/// Owns an MPI_Info of `hints`; MPI_INFO_NULL where there are none, or MPI has no room.
class InfoOf {
 public:
  explicit InfoOf(const std::vector<Hint>& hints);
  InfoOf(const InfoOf&) = delete;
  InfoOf& operator=(const InfoOf&) = delete;
  ~InfoOf();

  MPI_Info get() const noexcept { return info_; }
  /// Leaves it to the caller to free it.
  MPI_Info release() noexcept { return std::exchange(info_, MPI_INFO_NULL); }
  /// The first failure. A warning names each hint that MPI did not take.
  const Status& status() const noexcept { return status_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
  Status status_;
};

struct GivenHints {
  std::vector<Hint> hints;              ///< a later one overrides an earlier one of the same key
  std::vector<std::string> complaints;  ///< about text of the environment that cannot be read
};

/// What was given for `path`: by `info`, then by MPICH_MPIIO_HINTS (as Cray's), then by
/// HEADRACE_HINTS.
GivenHints hints_for_file(MPI_Info info, const std::string& path);

}  // namespace headrace::mpi
