// Opening, closing and setting up files. The host always does it first, or as well: its handle
// keeps the view and the file pointers, so that every call that is not taken over goes on working.
#include <memory>
#include <utility>

#include "base/log.hpp"
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
  const int code = call_host(real_mpi().open, comm, path, amode, info, file);
  if (code != MPI_SUCCESS) return code;
  if (transport::TeamLease lease(comm); lease.comm() != MPI_COMM_NULL)
    open_files().add(*file, std::make_shared<OpenFile>(*file, std::move(lease), path, amode, info));
  else
    log_warning("file {}: left to the host MPI: no communicator for it", path);
  return MPI_SUCCESS;
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
  const int code = call_host(real_mpi().set_info, file, info);
  if (code != MPI_SUCCESS) return code;
  if (const auto known = open_files().find(file)) known->set_info(info);
  return MPI_SUCCESS;
}

int file_get_info(MPI_File file, MPI_Info* info) noexcept {
  const int code = call_host(real_mpi().get_info, file, info);
  if (code != MPI_SUCCESS) return code;
  if (const auto known = open_files().find(file)) add_effective_hints(known->options(), *info);
  return MPI_SUCCESS;
}

int file_set_atomicity(MPI_File file, int flag) noexcept {
  const auto known = open_files().find(file);
  if (known != nullptr) known->wait_for_others();
  // In atomic mode the calls are the host's.
  if (known != nullptr && flag != 0) known->host_has_view();
  const int code = call_host(real_mpi().set_atomicity, file, flag);
  if (code == MPI_SUCCESS && known != nullptr) known->set_atomic(flag != 0);
  return code;
}

#define HEADRACE_DEFINE_SIZE(name, parameters, arguments)                     \
  int file_##name parameters noexcept {                                       \
    if (const auto known = open_files().find(file)) known->wait_for_others(); \
    const mpi::InsideHost inside;                                             \
    return real_mpi().name arguments;                                         \
  }
HEADRACE_SIZE_FUNCTIONS(HEADRACE_DEFINE_SIZE)

int file_sync(MPI_File file) noexcept {
  const auto known = open_files().find(file);
  if (known != nullptr)
    if (const Status late = known->settle(); !late.ok()) return raised(file, late);
  const Status flushed = known != nullptr ? known->sync() : Status();
  const int code = call_host(real_mpi().sync, file);
  return code != MPI_SUCCESS ? code : raised(file, flushed);
}

}  // namespace headrace::preload
