#include "preload/file_hints.hpp"

#include <optional>
#include <utility>

#include "mpi/hints.hpp"

namespace headrace::preload {

FileHints::FileHints(std::string path) : path_(std::move(path)) {
  mpi::GivenHints given = mpi::hints_for_file(MPI_INFO_NULL, path_);
  from_environment_ = std::move(given.hints);
  for (const std::string& text : given.complaints) complain(text);
  apply(from_environment_, options_);
}

void FileHints::add(MPI_Info info) {
  if (info == MPI_INFO_NULL) return;
  apply(mpi::hints_of_info(info), from_info_);
  options_ = from_info_;
  apply(from_environment_, options_);
}

std::vector<std::string> FileHints::take_complaints() {
  return std::exchange(complaints_, {});
}

void FileHints::apply(const std::vector<Hint>& hints, Options& options) {
  for (const Hint& hint : hints)
    if (const std::optional<std::string> refused = apply_hint(options, hint)) complain(*refused);
}

void FileHints::complain(const std::string& text) {
  if (told_.insert(text).second) complaints_.push_back("file " + path_ + ": " + text);
}

}  // namespace headrace::preload
