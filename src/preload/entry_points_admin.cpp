// Opening, closing and setting up files: what the host does, and what it cannot as it knows of one
// rank alone.
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/log.hpp"
#include "mpi/errors.hpp"
#include "mpi/real_mpi.hpp"
#include "preload/completion.hpp"
#include "preload/entry_points.hpp"
#include "preload/open_file_table.hpp"

namespace headrace::preload {
namespace {

using mpi::call_host;
using mpi::real_mpi;

/// Not chosen (yet). Programs open other files with the hints they were shown, and zero is none
/// that a host could be given: OMPIO divides by cb_nodes.
bool is_open(const Hint& hint) {
  return hint.value == "0";
}

/// Whether MPI would open a file on it. What is none is for the host to tell.
bool is_for_files(MPI_Comm comm) {
  int between_groups = 0;
  return comm != MPI_COMM_NULL && MPI_Comm_test_inter(comm, &between_groups) == MPI_SUCCESS &&
         !between_groups;
}

void remove_hint(MPI_Info info, const char* key) {
  int length = 0;
  int found = 0;
  if (MPI_Info_get_valuelen(info, key, &length, &found) != MPI_SUCCESS || !found) return;
  if (MPI_Info_delete(info, key) != MPI_SUCCESS)
    log_warning("MPI_File_get_info shows the host's {}", key);
}

/// Puts the effective options into `info`; the host's own values of other keys stay.
void add_effective_hints(const Options& options, MPI_Info info) {
  for (const Hint& hint : effective_hints(options)) {
    if (is_open(hint)) continue;
    if (MPI_Info_set(info, hint.key.c_str(), hint.value.c_str()) != MPI_SUCCESS)
      log_warning("MPI_File_get_info cannot show {}={}", hint.key, hint.value);
  }
}

}  // namespace

int file_open(MPI_Comm comm, const char* path, int amode, MPI_Info info, MPI_File* file) noexcept {
  const auto by_the_host = [&] {
    return call_host(real_mpi().open, comm, path, amode, info, file);
  };
  if (path == nullptr || file == nullptr || !is_for_files(comm)) return by_the_host();
  transport::TeamLease lease(comm);
  if (lease.comm() == MPI_COMM_NULL) {
    log_warning("file {}: left to the host MPI: no communicator for it", path);
    return by_the_host();
  }
  const auto opened = std::make_shared<OpenFile>(std::move(lease), path, amode);
  const int code = opened->open(comm, info);
  *file = opened->handle();
  if (code == MPI_SUCCESS) open_files().add(*file, opened);
  return code;
}

int file_close(MPI_File* file) noexcept {
  if (file == nullptr) return call_host(real_mpi().close, file);
  const auto known = open_files().take(*file);
  // Raised while the handle, and with it the error handler, is still there.
  const int late = known != nullptr ? raised(*file, known->close()) : MPI_SUCCESS;
  const int code = call_host(real_mpi().close, file);
  return code != MPI_SUCCESS ? code : late;
}

int file_set_view(MPI_File file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                  const char* representation, MPI_Info info) noexcept {
  if (const auto known = open_files().find(file))
    return known->set_view({displacement, etype, filetype, representation}, info);
  return call_host(real_mpi().set_view, file, displacement, etype, filetype, representation, info);
}

int file_set_info(MPI_File file, MPI_Info info) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr) return call_host(real_mpi().set_info, file, info);
  const int code = known->host().set_info(info);
  if (code == MPI_SUCCESS) known->add_hints(info);
  return code;
}

int file_get_info(MPI_File file, MPI_Info* info) noexcept {
  const int code = call_host(real_mpi().get_info, file, info);
  if (code != MPI_SUCCESS) return code;
  const auto known = open_files().find(file);
  if (known == nullptr) return MPI_SUCCESS;
  // Of an own handle, the host's aggregators are this rank.
  if (known->host().has_own_handle())
    for (const char* key : {"cb_nodes", "romio_aggregator_list"}) remove_hint(*info, key);
  add_effective_hints(known->options(), *info);
  return MPI_SUCCESS;
}

int file_set_atomicity(MPI_File file, int flag) noexcept {
  const auto known = open_files().find(file);
  return known != nullptr ? known->set_atomicity(flag)
                          : call_host(real_mpi().set_atomicity, file, flag);
}

/// With handles of their own, one rank does it for all.
int resize(MPI_File file, MPI_Offset size, int (*change)(MPI_File, MPI_Offset)) noexcept {
  const auto known = open_files().find(file);
  if (known != nullptr) known->wait_for_others();
  if (known == nullptr || !known->host().has_own_handle()) return call_host(change, file, size);
  std::array<std::int64_t, 2> least{size, -size};
  if (!known->minima(least) || least[0] != -least[1])
    return raised(file, {ErrorClass::not_same, "ranks give different sizes"});
  const int code = known->rank() == 0 ? call_host(change, file, size) : MPI_SUCCESS;
  const Status all = known->agreed(mpi::status_of_mpi(code, "changing the size"));
  return code != MPI_SUCCESS ? code : raised(file, all);
}

int file_set_size(MPI_File file, MPI_Offset size) noexcept {
  return resize(file, size, real_mpi().set_size);
}

int file_preallocate(MPI_File file, MPI_Offset size) noexcept {
  return resize(file, size, real_mpi().preallocate);
}

int file_get_size(MPI_File file, MPI_Offset* size) noexcept {
  if (const auto known = open_files().find(file)) known->wait_for_others();
  return call_host(real_mpi().get_size, file, size);
}

int file_sync(MPI_File file) noexcept {
  const auto known = open_files().find(file);
  if (known != nullptr)
    if (const Status late = known->settle(); !late.ok()) return raised(file, late);
  const int code = call_host(real_mpi().sync, file);
  if (known == nullptr) return code;
  const Status flushed = known->sync(code);
  return code != MPI_SUCCESS ? code : raised(file, flushed);
}

int file_get_group(MPI_File file, MPI_Group* group) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr || !known->host().has_own_handle())
    return call_host(real_mpi().get_group, file, group);
  return raised(file, mpi::status_of_mpi(MPI_Comm_group(known->comm(), group), "MPI_Comm_group"));
}

int file_get_amode(MPI_File file, int* amode) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr) return call_host(real_mpi().get_amode, file, amode);
  *amode = known->amode();
  return MPI_SUCCESS;
}

}  // namespace headrace::preload
