// Collective reads and writes: by Headrace, or by the host if the ranks agree that it must be so.
#include <memory>
#include <optional>
#include <string_view>

#include "mpi/real_mpi.hpp"
#include "preload/completion.hpp"
#include "preload/entry_points.hpp"
#include "preload/open_file_table.hpp"

namespace headrace::preload {
namespace {

using engine::Outcome;
using engine::Veto;

/// By the handle of all ranks. `call_the_host` gets it.
template <class Host>
int by_host(MPI_File file, OpenFile& known, std::string_view name, Veto why, Host call_the_host) {
  const Result<std::optional<MPI_File>> host = known.host_of_all_ranks();
  if (!host.ok()) return raised(file, host.status());
  if (!*host) return refused(file, known, name, why);
  return known.host().has_called(**host, call_the_host(**host));
}

template <class Host>
int blocking(MPI_File file, const Request& request, std::string_view name, MPI_Status* status,
             Host call_the_host) {
  const auto known = open_files().find(file);
  if (known == nullptr) return call_the_host(file);
  const Outcome outcome = known->transfer(request);
  if (outcome.host == Veto::none) return completed(file, outcome, status);
  return by_host(file, *known, name, outcome.host, call_the_host);
}

/// The whole operation happens here; its outcome waits for the function named `end`.
template <class Host>
int begin(MPI_File file, const Request& request, std::string_view name, std::string_view end,
          Host call_the_host) {
  const auto known = open_files().find(file);
  if (known == nullptr) return call_the_host(file);
  if (known->split())
    return raised(file, {ErrorClass::io, "a split collective is already under way"});
  const Outcome outcome = known->transfer(request);
  if (outcome.host == Veto::none) {
    known->split() = {end, outcome};
    return MPI_SUCCESS;
  }
  return by_host(file, *known, name, outcome.host, [&](MPI_File host) {
    const int code = call_the_host(host);
    if (code == MPI_SUCCESS) known->split() = {end, std::nullopt, host};
    return code;
  });
}

template <class Host>
int end(MPI_File file, std::string_view name, MPI_Status* status, Host call_the_host) {
  const auto known = open_files().find(file);
  if (known == nullptr) return call_the_host(file);
  // Not asked of the host, which knows nothing of splits begun here: OMPIO would crash.
  if (!known->split() || known->split()->end != name)
    return raised(file, {ErrorClass::io, "ends a split collective that was not begun"});
  const OpenFile::Split split = *known->split();
  known->split().reset();
  if (split.outcome) return completed(file, *split.outcome, status);
  return known->host().has_called(split.host, call_the_host(split.host));
}

void* writable(const void* buffer) {
  return const_cast<void*>(buffer);
}

}  // namespace

// The same for an int and for a large count.
#define HEADRACE_DEFINE(suffix, count_type)                                                        \
  int file_read_all##suffix(MPI_File file, void* buffer, count_type count, MPI_Datatype type,      \
                            MPI_Status* status) noexcept {                                         \
    return blocking(file, {Direction::read, {}, buffer, count, type}, "MPI_File_read_all" #suffix, \
                    status, HEADRACE_HOST(read_all##suffix, buffer, count, type, status));         \
  }                                                                                                \
  int file_write_all##suffix(MPI_File file, const void* buffer, count_type count,                  \
                             MPI_Datatype type, MPI_Status* status) noexcept {                     \
    return blocking(file, {Direction::write, {}, writable(buffer), count, type},                   \
                    "MPI_File_write_all" #suffix, status,                                          \
                    HEADRACE_HOST(write_all##suffix, buffer, count, type, status));                \
  }                                                                                                \
  int file_read_at_all##suffix(MPI_File file, MPI_Offset offset, void* buffer, count_type count,   \
                               MPI_Datatype type, MPI_Status* status) noexcept {                   \
    return blocking(file, {Direction::read, offset, buffer, count, type},                          \
                    "MPI_File_read_at_all" #suffix, status,                                        \
                    HEADRACE_HOST(read_at_all##suffix, offset, buffer, count, type, status));      \
  }                                                                                                \
  int file_write_at_all##suffix(MPI_File file, MPI_Offset offset, const void* buffer,              \
                                count_type count, MPI_Datatype type,                               \
                                MPI_Status* status) noexcept {                                     \
    return blocking(file, {Direction::write, offset, writable(buffer), count, type},               \
                    "MPI_File_write_at_all" #suffix, status,                                       \
                    HEADRACE_HOST(write_at_all##suffix, offset, buffer, count, type, status));     \
  }                                                                                                \
  int file_read_all_begin##suffix(MPI_File file, void* buffer, count_type count,                   \
                                  MPI_Datatype type) noexcept {                                    \
    return begin(file, {Direction::read, {}, buffer, count, type},                                 \
                 "MPI_File_read_all_begin" #suffix, "read_all_end",                                \
                 HEADRACE_HOST(read_all_begin##suffix, buffer, count, type));                      \
  }                                                                                                \
  int file_write_all_begin##suffix(MPI_File file, const void* buffer, count_type count,            \
                                   MPI_Datatype type) noexcept {                                   \
    return begin(file, {Direction::write, {}, writable(buffer), count, type},                      \
                 "MPI_File_write_all_begin" #suffix, "write_all_end",                              \
                 HEADRACE_HOST(write_all_begin##suffix, buffer, count, type));                     \
  }                                                                                                \
  int file_read_at_all_begin##suffix(MPI_File file, MPI_Offset offset, void* buffer,               \
                                     count_type count, MPI_Datatype type) noexcept {               \
    return begin(file, {Direction::read, offset, buffer, count, type},                             \
                 "MPI_File_read_at_all_begin" #suffix, "read_at_all_end",                          \
                 HEADRACE_HOST(read_at_all_begin##suffix, offset, buffer, count, type));           \
  }                                                                                                \
  int file_write_at_all_begin##suffix(MPI_File file, MPI_Offset offset, const void* buffer,        \
                                      count_type count, MPI_Datatype type) noexcept {              \
    return begin(file, {Direction::write, offset, writable(buffer), count, type},                  \
                 "MPI_File_write_at_all_begin" #suffix, "write_at_all_end",                        \
                 HEADRACE_HOST(write_at_all_begin##suffix, offset, buffer, count, type));          \
  }

HEADRACE_DEFINE(, int)
#if MPI_VERSION >= 4
HEADRACE_DEFINE(_c, MPI_Count)
#endif

int file_read_all_end(MPI_File file, void* buffer, MPI_Status* status) noexcept {
  return end(file, "read_all_end", status, HEADRACE_HOST(read_all_end, buffer, status));
}
int file_write_all_end(MPI_File file, const void* buffer, MPI_Status* status) noexcept {
  return end(file, "write_all_end", status, HEADRACE_HOST(write_all_end, buffer, status));
}
int file_read_at_all_end(MPI_File file, void* buffer, MPI_Status* status) noexcept {
  return end(file, "read_at_all_end", status, HEADRACE_HOST(read_at_all_end, buffer, status));
}
int file_write_at_all_end(MPI_File file, const void* buffer, MPI_Status* status) noexcept {
  return end(file, "write_at_all_end", status, HEADRACE_HOST(write_at_all_end, buffer, status));
}

}  // namespace headrace::preload
