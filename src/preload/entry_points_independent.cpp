// Independent calls, and what else depends on the view: the host's, as long as it has the view.
#include <memory>
#include <string_view>

#include "mpi/real_mpi.hpp"
#include "preload/completion.hpp"
#include "preload/entry_points.hpp"
#include "preload/open_file_table.hpp"

namespace headrace::preload {
namespace {

using engine::Outcome;
using engine::Veto;
using mpi::call_host;
using mpi::real_mpi;

template <class Host>
int independent(MPI_File file, const Request& request, std::string_view name, MPI_Status* status,
                Host call_the_host) {
  const auto known = open_files().find(file);
  if (known != nullptr) known->wait_for_others();
  if (known == nullptr || known->withheld_view() == nullptr) return call_the_host();
  const Outcome outcome = known->withheld_view()->transfer(request);
  if (outcome.host != Veto::none) return refused(file, *known, name, outcome.host);
  return completed(file, outcome, status);
}

/// Calls that Headrace never takes over.
template <class Host>
int host_only(MPI_File file, std::string_view name, Host call_the_host) {
  const auto known = open_files().find(file);
  if (known != nullptr) known->wait_for_others();
  if (known == nullptr || known->withheld_view() == nullptr) return call_the_host();
  return refused(file, *known, name, Veto::view_withheld);
}

}  // namespace

#define HEADRACE_HOST(name, arguments)     \
  [&] {                                    \
    const mpi::InsideHost inside;          \
    return mpi::real_mpi().name arguments; \
  }

// The same for an int and for a large count.
#define HEADRACE_DEFINE(suffix, count_type)                                                       \
  int file_read##suffix(MPI_File file, void* buffer, count_type count, MPI_Datatype type,         \
                        MPI_Status* status) noexcept {                                            \
    return independent(file, {Direction::read, {}, buffer, count, type}, "MPI_File_read" #suffix, \
                       status, HEADRACE_HOST(read##suffix, (file, buffer, count, type, status))); \
  }                                                                                               \
  int file_write##suffix(MPI_File file, const void* buffer, count_type count, MPI_Datatype type,  \
                         MPI_Status* status) noexcept {                                           \
    return independent(file, {Direction::write, {}, const_cast<void*>(buffer), count, type},      \
                       "MPI_File_write" #suffix, status,                                          \
                       HEADRACE_HOST(write##suffix, (file, buffer, count, type, status)));        \
  }                                                                                               \
  int file_read_at##suffix(MPI_File file, MPI_Offset offset, void* buffer, count_type count,      \
                           MPI_Datatype type, MPI_Status* status) noexcept {                      \
    return independent(                                                                           \
        file, {Direction::read, offset, buffer, count, type}, "MPI_File_read_at" #suffix, status, \
        HEADRACE_HOST(read_at##suffix, (file, offset, buffer, count, type, status)));             \
  }                                                                                               \
  int file_write_at##suffix(MPI_File file, MPI_Offset offset, const void* buffer,                 \
                            count_type count, MPI_Datatype type, MPI_Status* status) noexcept {   \
    return independent(                                                                           \
        file, {Direction::write, offset, const_cast<void*>(buffer), count, type},                 \
        "MPI_File_write_at" #suffix, status,                                                      \
        HEADRACE_HOST(write_at##suffix, (file, offset, buffer, count, type, status)));            \
  }

HEADRACE_DEFINE(, int)
#if MPI_VERSION >= 4
HEADRACE_DEFINE(_c, MPI_Count)
#endif

#define HEADRACE_DEFINE_HOST_ONLY(name, parameters, arguments)                 \
  int file_##name parameters noexcept {                                        \
    return host_only(file, "MPI_File_" #name, HEADRACE_HOST(name, arguments)); \
  }
HEADRACE_HOST_ONLY_FUNCTIONS(HEADRACE_DEFINE_HOST_ONLY)

int file_get_view(MPI_File file, MPI_Offset* displacement, MPI_Datatype* etype,
                  MPI_Datatype* filetype, char* representation) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr || known->program_view() == nullptr)
    return call_host(real_mpi().get_view, file, displacement, etype, filetype, representation);
  return known->program_view()->get(displacement, etype, filetype, representation);
}

int file_get_byte_offset(MPI_File file, MPI_Offset offset, MPI_Offset* displacement) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr || known->withheld_view() == nullptr)
    return call_host(real_mpi().get_byte_offset, file, offset, displacement);
  const Result<MPI_Offset> byte = known->withheld_view()->byte_offset(offset);
  if (!byte.ok()) return refused(file, *known, "MPI_File_get_byte_offset", Veto::invalid_arguments);
  *displacement = *byte;
  return MPI_SUCCESS;
}

int file_seek(MPI_File file, MPI_Offset offset, int whence) noexcept {
  const auto known = open_files().find(file);
  if (known != nullptr && whence == MPI_SEEK_END) known->wait_for_others();
  if (known == nullptr || known->withheld_view() == nullptr || whence != MPI_SEEK_END)
    return call_host(real_mpi().seek, file, offset, whence);
  const Result<MPI_Offset> end = known->withheld_view()->end();
  if (!end.ok()) return raised(file, end.status());
  return call_host(real_mpi().seek, file, *end + offset, MPI_SEEK_SET);
}

}  // namespace headrace::preload
