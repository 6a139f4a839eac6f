// Opening, closing and setting up files: what the host does, and what it cannot as it knows of one
// rank alone.
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "mpi/errors.hpp"
#include "mpi/hints.hpp"
#include "mpi/real_mpi.hpp"
#include "preload/completion.hpp"
#include "preload/entry_points.hpp"
#include "preload/open_file_table.hpp"

namespace headrace::preload {
namespace {

using mpi::call_host;
using mpi::real_mpi;

/// Whether MPI would open a file on it. What is none is for the host to tell.
bool is_for_files(MPI_Comm comm) {
  int between_groups = 0;
  return comm != MPI_COMM_NULL && MPI_Comm_test_inter(comm, &between_groups) == MPI_SUCCESS &&
         !between_groups;
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
  const Result<int> code = opened->open(comm, info);
  *file = opened->handle();
  if (!code.ok()) return mpi::mpi_error_class(code.status().error_class());
  if (*code == MPI_SUCCESS) open_files().add(opened);
  return *code;
}

int file_close(MPI_File* file) noexcept {
  const auto known = file != nullptr ? open_files().find(*file) : nullptr;
  if (known == nullptr) return call_host(real_mpi().close, file);
  // Raised while the handle, and with it the error handler, is still there.
  const int late = raised(*file, known->close());
  open_files().remove(*known);
  *file = MPI_FILE_NULL;
  const int code = known->host().close();
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
  const auto known = open_files().find(file);
  if (known == nullptr) return call_host(real_mpi().get_info, file, info);
  const Result<std::vector<Hint>> hints = known->shown_hints();
  if (!hints.ok()) return raised(file, hints.status());
  mpi::InfoOf shown(*hints);
  if (shown.get() == MPI_INFO_NULL) return raised(file, shown.status());
  *info = shown.release();
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
  const int code =
      known->rank() == 0 ? call_host(change, host_handle(file, known), size) : MPI_SUCCESS;
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
  const auto known = open_files().find(file);
  if (known == nullptr) return call_host(real_mpi().get_size, file, size);
  known->wait_for_others();
  return known->host().get_size(size);
}

int file_sync(MPI_File file) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr) return call_host(real_mpi().sync, file);
  if (const Status late = known->settle(); !late.ok()) return raised(file, late);
  const int code = known->host().sync();
  const Status flushed = known->sync(code);
  return code != MPI_SUCCESS ? code : raised(file, flushed);
}

int file_get_group(MPI_File file, MPI_Group* group) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr || !known->host().has_own_handle())
    return call_host(real_mpi().get_group, file, group);
  return raised(file, mpi::status_of_mpi(MPI_Comm_group(known->comm(), group), "MPI_Comm_group"));
}

int file_get_atomicity(MPI_File file, int* flag) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr) return call_host(real_mpi().get_atomicity, file, flag);
  *flag = known->is_atomic();
  return MPI_SUCCESS;
}

int file_get_type_extent(MPI_File file, MPI_Datatype type, MPI_Aint* extent) noexcept {
  return call_host(real_mpi().get_type_extent, host_handle(file), type, extent);
}

#if MPI_VERSION >= 4
int file_get_type_extent_c(MPI_File file, MPI_Datatype type, MPI_Count* extent) noexcept {
  return call_host(real_mpi().get_type_extent_c, host_handle(file), type, extent);
}
#endif

/// A handle that is not open has the handler that files begin with. That is MPI_ERRORS_RETURN until
/// the program changes it.
int file_set_errhandler(MPI_File file, MPI_Errhandler handler) noexcept {
  const auto known = open_files().find(file);
  if (known != nullptr && !known->host().is_open() && handler == MPI_ERRORS_RETURN)
    return MPI_SUCCESS;
  if (file == MPI_FILE_NULL && handler != MPI_ERRORS_RETURN) {
    for (const auto& open : open_files().all()) host_handle(open->handle(), open);
    OpenFile::change_first_handler();
  }
  return call_host(real_mpi().set_errhandler, host_handle(file, known), handler);
}

int file_get_errhandler(MPI_File file, MPI_Errhandler* handler) noexcept {
  return call_host(real_mpi().get_errhandler, host_handle(file), handler);
}

// Not by call_host: a handler is the program's own code, and what it calls is taken over again.
int file_call_errhandler(MPI_File file, int code) noexcept {
  return real_mpi().call_errhandler(host_handle(file), code);
}

MPI_Fint file_c2f(MPI_File file) noexcept {
  const auto known = open_files().find(file);
  if (known != nullptr && known->has_handle_of_headrace())
    return open_files().fortran_handle(*known);
  return real_mpi().c2f(file);
}

MPI_File file_f2c(MPI_Fint file) noexcept {
  const auto known = open_files().find_fortran(file);
  return known != nullptr ? known->handle() : real_mpi().f2c(file);
}

int file_get_amode(MPI_File file, int* amode) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr) return call_host(real_mpi().get_amode, file, amode);
  *amode = known->amode();
  return MPI_SUCCESS;
}

}  // namespace headrace::preload
