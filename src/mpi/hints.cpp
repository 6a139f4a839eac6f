#include "mpi/hints.hpp"

#include <cstdlib>
#include <iterator>

#include "base/log.hpp"
#include "mpi/errors.hpp"

namespace headrace::mpi {
namespace {

/// The value of `key`, which `info` has.
std::string value_of(MPI_Info info, const std::string& key) {
  int length = 0;
  int found = 0;
  if (MPI_Info_get_valuelen(info, key.c_str(), &length, &found) != MPI_SUCCESS || !found) return {};
  std::string value(static_cast<std::size_t>(length) + 1, '\0');
  if (MPI_Info_get(info, key.c_str(), length, value.data(), &found) != MPI_SUCCESS) return {};
  value.resize(static_cast<std::size_t>(length));
  return value;
}

void add_from_environment(const char* variable, const std::string& path, GivenHints& given) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return;
  HintText read = hints_for_path(text, path);
  given.hints.insert(given.hints.end(), std::move_iterator(read.hints.begin()),
                     std::move_iterator(read.hints.end()));
  if (!read.complaint.empty())
    given.complaints.push_back(std::string(variable) + ": cannot read '" + read.complaint + "'");
}

}  // namespace

std::vector<Hint> hints_of_info(MPI_Info info) {
  std::vector<Hint> hints;
  int count = 0;
  if (info == MPI_INFO_NULL || MPI_Info_get_nkeys(info, &count) != MPI_SUCCESS) return hints;
  for (int i = 0; i < count; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = {};
    if (MPI_Info_get_nthkey(info, i, key) != MPI_SUCCESS) continue;
    hints.push_back({key, value_of(info, key)});
  }
  return hints;
}

InfoOf::InfoOf(const std::vector<Hint>& hints) {
  if (hints.empty()) return;
  status_ = status_of_mpi(MPI_Info_create(&info_), "MPI_Info_create");
  if (!status_.ok()) return;
  for (const Hint& hint : hints) {
    const int code = MPI_Info_set(info_, hint.key.c_str(), hint.value.c_str());
    if (code == MPI_SUCCESS) continue;
    log_warning("the host MPI's MPI_Info does not take {}={}", hint.key, hint.value);
    status_.update(status_of_mpi(code, "MPI_Info_set"));
  }
}

InfoOf::~InfoOf() {
  // There is nobody to tell of a failure.
  if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
}

GivenHints hints_for_file(MPI_Info info, const std::string& path) {
  GivenHints given{hints_of_info(info), {}};
  add_from_environment("MPICH_MPIIO_HINTS", path, given);
  add_from_environment("HEADRACE_HINTS", path, given);
  return given;
}

}  // namespace headrace::mpi
