// The hints of one open file, from all the places where users may set them.
#pragma once

#include <mpi.h>

#include <set>
#include <string>
#include <vector>

#include "base/options.hpp"

namespace headrace::preload {

/// The environment (MPICH_MPIIO_HINTS, then HEADRACE_HINTS) overrides MPI_Info, and a later
/// MPI_Info overrides an earlier one, key by key. One per open file and rank; used by one thread at
/// a time.
class FileHints {
 public:
  explicit FileHints(std::string path);

  /// Takes in what MPI_File_open, _set_view or _set_info was given; MPI_INFO_NULL changes nothing.
  void add(MPI_Info info);

  const Options& options() const noexcept { return options_; }

  /// What was refused since the last call, each time in a sentence that names file, key, value and
  /// what is allowed. Nothing is told twice.
  std::vector<std::string> take_complaints();

 private:
  void apply(const std::vector<Hint>& hints, Options& options);
  void complain(const std::string& text);

  std::string path_;
  Options from_info_;
  std::vector<Hint> from_environment_;
  Options options_;  // both
  std::set<std::string> told_;
  std::vector<std::string> complaints_;
};

}  // namespace headrace::preload
