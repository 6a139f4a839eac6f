// Independent calls, and what else depends on the view: the host's, if its handle has the view or
// can be given it at little cost. And nonblocking collectives.
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

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

/// `result`: a status, or a request, which is complete when it is made: the whole operation happens
/// here.
template <class Result, class Host>
int independent(MPI_File file, const Request& request, std::string_view name, Result* result,
                Host call_the_host) {
  const auto known = open_files().find(file);
  if (known == nullptr) return call_the_host(file);
  known->wait_for_others();
  HostFile& host = known->host();
  // What returns a request is best done by who can do it meanwhile.
  constexpr bool is_blocking = std::is_same_v<Result, MPI_Status>;
  const bool is_for_host = host.is_open() || !is_blocking;
  if (is_for_host && host.give_cheap_view()) return call_the_host(host_handle(file, known));
  const Outcome outcome = known->transfer_alone(request);
  if (outcome.host == Veto::none) return completed(file, outcome, result);
  return host.give_view() ? call_the_host(host_handle(file, known))
                          : refused(file, *known, name, outcome.host);
}

#if MPI_VERSION >= 4
using HostCount = MPI_Count;
#define HEADRACE_LARGE_FORM(name) name##_c
#else
using HostCount = int;
#define HEADRACE_LARGE_FORM(name) name
#endif

/// By an independent call of the host, which raises its errors itself.
int host_transfers_alone(MPI_File file, const std::shared_ptr<OpenFile>& known,
                         const Request& request, MPI_Request* result) {
  const mpi::RealMpi& host = real_mpi();
  const MPI_File handle = host_handle(file, known);
  MPI_Status status;
  const auto transfer = [&](auto* at_pointer, auto* at_offset) {
    const auto count = static_cast<HostCount>(request.count);
    return request.offset
               ? call_host(at_offset, handle, *request.offset, request.buffer, count, request.type,
                           &status)
               : call_host(at_pointer, handle, request.buffer, count, request.type, &status);
  };
  int code = request.direction == Direction::write
                 ? transfer(host.HEADRACE_LARGE_FORM(write), host.HEADRACE_LARGE_FORM(write_at))
                 : transfer(host.HEADRACE_LARGE_FORM(read), host.HEADRACE_LARGE_FORM(read_at));
  MPI_Count bytes = 0;
  if (code == MPI_SUCCESS) code = MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  *result = MPI_REQUEST_NULL;
  return code == MPI_SUCCESS ? completed(file, {Veto::none, {}, bytes}, result) : code;
}
#undef HEADRACE_LARGE_FORM

/// By a handle of all ranks of a host that makes them well. Else this rank makes its own part: to
/// wait for others in such a call could be to wait for ever.
template <class Host>
int nonblocking_collective(MPI_File file, const Request& request, std::string_view name,
                           MPI_Request* result, Host call_the_host) {
  const auto known = open_files().find(file);
  OpenFile::prefer_host_of_all_ranks();
  if (known != nullptr) known->wait_for_others();
  if (mpi::host_makes_nonblocking_collectives &&
      (known == nullptr || !known->host().has_own_handle()))
    return call_the_host(file);
  if (known == nullptr) return host_transfers_alone(file, known, request, result);
  const Outcome outcome = known->transfer_alone(request);
  if (outcome.host == Veto::none) return completed(file, outcome, result);
  if (!known->host().give_view()) return refused(file, *known, name, outcome.host);
  return host_transfers_alone(file, known, request, result);
}

}  // namespace

// The same for an int and for a large count.
#define HEADRACE_DEFINE(suffix, count_type)                                                       \
  int file_read##suffix(MPI_File file, void* buffer, count_type count, MPI_Datatype type,         \
                        MPI_Status* status) noexcept {                                            \
    return independent(file, {Direction::read, {}, buffer, count, type}, "MPI_File_read" #suffix, \
                       status, HEADRACE_HOST(read##suffix, buffer, count, type, status));         \
  }                                                                                               \
  int file_write##suffix(MPI_File file, const void* buffer, count_type count, MPI_Datatype type,  \
                         MPI_Status* status) noexcept {                                           \
    return independent(file, {Direction::write, {}, const_cast<void*>(buffer), count, type},      \
                       "MPI_File_write" #suffix, status,                                          \
                       HEADRACE_HOST(write##suffix, buffer, count, type, status));                \
  }                                                                                               \
  int file_read_at##suffix(MPI_File file, MPI_Offset offset, void* buffer, count_type count,      \
                           MPI_Datatype type, MPI_Status* status) noexcept {                      \
    return independent(file, {Direction::read, offset, buffer, count, type},                      \
                       "MPI_File_read_at" #suffix, status,                                        \
                       HEADRACE_HOST(read_at##suffix, offset, buffer, count, type, status));      \
  }                                                                                               \
  int file_write_at##suffix(MPI_File file, MPI_Offset offset, const void* buffer,                 \
                            count_type count, MPI_Datatype type, MPI_Status* status) noexcept {   \
    return independent(file, {Direction::write, offset, const_cast<void*>(buffer), count, type},  \
                       "MPI_File_write_at" #suffix, status,                                       \
                       HEADRACE_HOST(write_at##suffix, offset, buffer, count, type, status));     \
  }

// With the individual file pointer, and at an offset.
#define HEADRACE_DEFINE_NONBLOCKING(served, name, all, suffix, direction, buffer_type, count_type) \
  int file_##name##all##suffix(MPI_File file, buffer_type buffer, count_type count,                \
                               MPI_Datatype type, MPI_Request* request) noexcept {                 \
    return served(file, {direction, {}, const_cast<void*>(buffer), count, type},                   \
                  "MPI_File_" #name #all #suffix, request,                                         \
                  HEADRACE_HOST(name##all##suffix, buffer, count, type, request));                 \
  }                                                                                                \
  int file_##name##_at##all##suffix(MPI_File file, MPI_Offset offset, buffer_type buffer,          \
                                    count_type count, MPI_Datatype type,                           \
                                    MPI_Request* request) noexcept {                               \
    return served(file, {direction, offset, const_cast<void*>(buffer), count, type},               \
                  "MPI_File_" #name "_at" #all #suffix, request,                                   \
                  HEADRACE_HOST(name##_at##all##suffix, offset, buffer, count, type, request));    \
  }
#define HEADRACE_DEFINE_ALL_NONBLOCKING(suffix, count_type)                                        \
  HEADRACE_DEFINE_NONBLOCKING(independent, iread, , suffix, Direction::read, void*, count_type)    \
  HEADRACE_DEFINE_NONBLOCKING(nonblocking_collective, iread, _all, suffix, Direction::read, void*, \
                              count_type)                                                          \
  HEADRACE_DEFINE_NONBLOCKING(independent, iwrite, , suffix, Direction::write, const void*,        \
                              count_type)                                                          \
  HEADRACE_DEFINE_NONBLOCKING(nonblocking_collective, iwrite, _all, suffix, Direction::write,      \
                              const void*, count_type)

HEADRACE_DEFINE(, int)
HEADRACE_DEFINE_ALL_NONBLOCKING(, int)
#if MPI_VERSION >= 4
HEADRACE_DEFINE(_c, MPI_Count)
HEADRACE_DEFINE_ALL_NONBLOCKING(_c, MPI_Count)
#endif

int file_get_view(MPI_File file, MPI_Offset* displacement, MPI_Datatype* etype,
                  MPI_Datatype* filetype, char* representation) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr || known->host().program_view() == nullptr)
    return call_host(real_mpi().get_view, host_handle(file, known), displacement, etype, filetype,
                     representation);
  return known->host().program_view()->get(displacement, etype, filetype, representation);
}

int file_get_byte_offset(MPI_File file, MPI_Offset offset, MPI_Offset* displacement) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr || !known->host().lacks_view())
    return call_host(real_mpi().get_byte_offset, host_handle(file, known), offset, displacement);
  const Result<MPI_Offset> byte = known->independent_calls().byte_offset(offset);
  if (!byte.ok()) return refused(file, *known, "MPI_File_get_byte_offset", Veto::invalid_arguments);
  *displacement = *byte;
  return MPI_SUCCESS;
}

int file_get_position(MPI_File file, MPI_Offset* offset) noexcept {
  const auto known = open_files().find(file);
  if (known == nullptr || !known->host().lacks_view())
    return call_host(real_mpi().get_position, host_handle(file, known), offset);
  const Result<MPI_Offset> position = known->position();
  if (position.ok()) *offset = *position;
  return raised(file, position.status());
}

int file_seek(MPI_File file, MPI_Offset offset, int whence) noexcept {
  const auto known = open_files().find(file);
  if (known != nullptr && whence == MPI_SEEK_END) known->wait_for_others();
  if (known == nullptr || !known->host().lacks_view())
    return call_host(real_mpi().seek, host_handle(file, known), offset, whence);
  Result<MPI_Offset> base = MPI_Offset{0};
  if (whence == MPI_SEEK_CUR) base = known->position();
  if (whence == MPI_SEEK_END) base = known->end();
  if (!base.ok()) return raised(file, base.status());
  const bool is_known = whence == MPI_SEEK_SET || whence == MPI_SEEK_CUR || whence == MPI_SEEK_END;
  MPI_Offset target = -1;
  if (!is_known || __builtin_add_overflow(*base, offset, &target) || target < 0)
    return refused(file, *known, "MPI_File_seek", Veto::invalid_arguments);
  return raised(file, known->set_position(target));
}

}  // namespace headrace::preload
