// Calls with the shared file pointer: calls at an offset, which is where the pointer stood.
#include <memory>
#include <optional>
#include <string_view>

#include "mpi/datatype.hpp"
#include "mpi/duplicate.hpp"
#include "mpi/errors.hpp"
#include "mpi/real_mpi.hpp"
#include "preload/completion.hpp"
#include "preload/entry_points.hpp"
#include "preload/open_file_table.hpp"

namespace headrace::preload {
namespace {

using mpi::call_host;
using mpi::real_mpi;

/// Null: the pointer is the host's.
std::shared_ptr<OpenFile> with_own_pointer(MPI_File file) {
  auto known = open_files().find(file);
  if (known == nullptr) return nullptr;
  known->wait_for_others();
  return known->shared_pointer() != nullptr ? known : nullptr;
}

/// How far a call moves a file pointer; 0 if its arguments are not valid, which the call itself
/// will tell.
MPI_Offset etypes_in(const OpenFile& known, MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Offset bytes = 0;
  if (count < 0 || !mpi::usable_in_communication(type, known.comm()) ||
      MPI_Type_size_x(type, &size) != MPI_SUCCESS ||
      __builtin_mul_overflow(MPI_Offset{count}, MPI_Offset{size}, &bytes))
    return 0;
  return bytes / known.etype_size();
}

/// `call_at` makes the call at an offset.
template <class Host, class At>
int at_shared_pointer(MPI_File file, MPI_Count count, MPI_Datatype type, Host call_the_host,
                      At call_at) {
  const auto known = with_own_pointer(file);
  if (known == nullptr) return call_the_host(file);
  const Result<MPI_Offset> at = known->shared_pointer()->advance(etypes_in(*known, count, type));
  return at.ok() ? call_at(*at) : raised(file, at.status());
}

/// Moves the pointer by all ranks' etypes; returns where this rank's begin, behind those of the
/// ranks before it. Collective; the same error on every rank.
Result<MPI_Offset> advance_in_order(OpenFile& known, std::int64_t etypes) {
  int size = 0;
  std::int64_t before = 0;
  int code = MPI_Comm_size(known.comm(), &size);
  if (code == MPI_SUCCESS)
    code = MPI_Exscan(&etypes, &before, 1, MPI_INT64_T, MPI_SUM, known.comm());
  if (code != MPI_SUCCESS) return mpi::status_of_mpi(code, "MPI_Exscan");
  if (known.rank() == 0) before = 0;
  // The last rank knows how many there are in all.
  std::int64_t begin = 0;
  Status mine;
  if (known.rank() == size - 1) {
    const Result<MPI_Offset> was = known.shared_pointer()->advance(before + etypes);
    mine = was.status();
    if (was.ok()) begin = *was;
  }
  code = MPI_Bcast(&begin, 1, MPI_INT64_T, size - 1, known.comm());
  mine.update(mpi::status_of_mpi(code, "MPI_Bcast"));
  if (const Status all = known.agreed(mine); !all.ok()) return all;
  return MPI_Offset{begin + before};
}

template <class Host, class At>
int in_order(MPI_File file, MPI_Count count, MPI_Datatype type, Host call_the_host, At call_at) {
  const auto known = with_own_pointer(file);
  if (known == nullptr) return call_the_host(file);
  const Result<MPI_Offset> at = advance_in_order(*known, etypes_in(*known, count, type));
  return at.ok() ? call_at(*at) : raised(file, at.status());
}

/// In etypes of the view.
Result<MPI_Offset> end_of_file(MPI_File file, OpenFile& known) {
  if (known.host().lacks_view()) return known.end();
  MPI_Offset here = 0;
  MPI_Offset end = 0;
  const MPI_File host = host_handle(file);
  int code = call_host(real_mpi().get_position, host, &here);
  if (code == MPI_SUCCESS) code = call_host(real_mpi().seek, host, MPI_Offset{0}, MPI_SEEK_END);
  if (code == MPI_SUCCESS) code = call_host(real_mpi().get_position, host, &end);
  if (code == MPI_SUCCESS) code = call_host(real_mpi().seek, host, here, MPI_SEEK_SET);
  if (code != MPI_SUCCESS) return mpi::status_of_mpi(code, "MPI_File_seek");
  return end;
}

/// From where an offset counts.
Result<MPI_Offset> base_of(MPI_File file, OpenFile& known, int whence) {
  switch (whence) {
    case MPI_SEEK_SET:
      return MPI_Offset{0};
    case MPI_SEEK_CUR:
      return known.shared_pointer()->advance(0);
    case MPI_SEEK_END:
      return end_of_file(file, known);
    default:
      return Status(ErrorClass::argument, "no such way to seek");
  }
}

Status sought(MPI_File file, OpenFile& known, MPI_Offset offset, int whence) {
  const Result<MPI_Offset> base = base_of(file, known, whence);
  if (!base.ok()) return base.status();
  MPI_Offset target = -1;
  if (__builtin_add_overflow(*base, offset, &target) || target < 0)
    return {ErrorClass::argument, "the shared file pointer cannot be before the view"};
  return known.shared_pointer()->set(target);
}

}  // namespace

/// MPI_File_<name>, a call by the way `served` that is MPI_File_<at> at an offset. `arguments`:
/// what comes behind the offset.
#define HEADRACE_DEFINE(name, served, at, parameters, ...)                                  \
  int file_##name parameters noexcept {                                                     \
    return served(file, count, type, HEADRACE_HOST(name, __VA_ARGS__),                      \
                  [&](MPI_Offset offset) { return file_##at(file, offset, __VA_ARGS__); }); \
  }
#define HEADRACE_DEFINE_ALL(suffix, count_type)                                                 \
  HEADRACE_DEFINE(                                                                              \
      read_shared##suffix, at_shared_pointer, read_at##suffix,                                  \
      (MPI_File file, void* buffer, count_type count, MPI_Datatype type, MPI_Status* status),   \
      buffer, count, type, status)                                                              \
  HEADRACE_DEFINE(write_shared##suffix, at_shared_pointer, write_at##suffix,                    \
                  (MPI_File file, const void* buffer, count_type count, MPI_Datatype type,      \
                   MPI_Status* status),                                                         \
                  buffer, count, type, status)                                                  \
  HEADRACE_DEFINE(                                                                              \
      iread_shared##suffix, at_shared_pointer, iread_at##suffix,                                \
      (MPI_File file, void* buffer, count_type count, MPI_Datatype type, MPI_Request* request), \
      buffer, count, type, request)                                                             \
  HEADRACE_DEFINE(iwrite_shared##suffix, at_shared_pointer, iwrite_at##suffix,                  \
                  (MPI_File file, const void* buffer, count_type count, MPI_Datatype type,      \
                   MPI_Request* request),                                                       \
                  buffer, count, type, request)                                                 \
  HEADRACE_DEFINE(                                                                              \
      read_ordered##suffix, in_order, read_at_all##suffix,                                      \
      (MPI_File file, void* buffer, count_type count, MPI_Datatype type, MPI_Status* status),   \
      buffer, count, type, status)                                                              \
  HEADRACE_DEFINE(write_ordered##suffix, in_order, write_at_all##suffix,                        \
                  (MPI_File file, const void* buffer, count_type count, MPI_Datatype type,      \
                   MPI_Status* status),                                                         \
                  buffer, count, type, status)                                                  \
  HEADRACE_DEFINE(read_ordered_begin##suffix, in_order, read_at_all_begin##suffix,              \
                  (MPI_File file, void* buffer, count_type count, MPI_Datatype type), buffer,   \
                  count, type)                                                                  \
  HEADRACE_DEFINE(write_ordered_begin##suffix, in_order, write_at_all_begin##suffix,            \
                  (MPI_File file, const void* buffer, count_type count, MPI_Datatype type),     \
                  buffer, count, type)

HEADRACE_DEFINE_ALL(, int)
#if MPI_VERSION >= 4
HEADRACE_DEFINE_ALL(_c, MPI_Count)
#endif

int file_read_ordered_end(MPI_File file, void* buffer, MPI_Status* status) noexcept {
  if (with_own_pointer(file) != nullptr) return file_read_at_all_end(file, buffer, status);
  return call_host(real_mpi().read_ordered_end, file, buffer, status);
}

int file_write_ordered_end(MPI_File file, const void* buffer, MPI_Status* status) noexcept {
  if (with_own_pointer(file) != nullptr) return file_write_at_all_end(file, buffer, status);
  return call_host(real_mpi().write_ordered_end, file, buffer, status);
}

int file_seek_shared(MPI_File file, MPI_Offset offset, int whence) noexcept {
  const auto known = with_own_pointer(file);
  if (known == nullptr) return call_host(real_mpi().seek_shared, file, offset, whence);
  // What other ranks did before comes before, and what they do afterwards, after.
  Status all = known->agreed({});
  if (all.ok())
    all = known->agreed(known->rank() == 0 ? sought(file, *known, offset, whence) : Status());
  return raised(file, all);
}

int file_get_position_shared(MPI_File file, MPI_Offset* offset) noexcept {
  const auto known = with_own_pointer(file);
  if (known == nullptr) return call_host(real_mpi().get_position_shared, file, offset);
  const Result<MPI_Offset> at = known->shared_pointer()->advance(0);
  if (at.ok()) *offset = *at;
  return raised(file, at.status());
}

}  // namespace headrace::preload
