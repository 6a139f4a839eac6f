#include <cstdint>
#include <new>

#include "mpi/datatype.hpp"
#include "mpi/duplicate.hpp"
#include "mpi/errors.hpp"
#include "mpi/real_mpi.hpp"
#include "preload/file_state.hpp"

namespace headrace::preload {
namespace {

using engine::Veto;

/// Below this no address holds a program's data: Linux never maps it for ordinary processes.
constexpr std::int64_t lowest_address = 4096;

struct Refused {
  Veto veto;
};

Veto standing_veto(const FileState& file) {
  if ((file.amode & MPI_MODE_SEQUENTIAL) != 0) return Veto::sequential_mode;
  if (file.atomic) return Veto::atomic_mode;
  if (!file.native) return Veto::data_representation;
  if (!file.view) return Veto::unsupported_datatype;
  return Veto::none;
}

mpi::DatatypePtr decoded(const FileState& file, const Request& request) {
  if (!mpi::usable_in_communication(request.type, file.comm))
    throw Refused{Veto::invalid_arguments};
  const Result<mpi::DatatypePtr> type = mpi::decode(request.type);
  if (!type.ok()) throw Refused{Veto::unsupported_datatype};
  return *type;
}

std::int64_t bytes_of(const mpi::Datatype& type, const FileState& file, const Request& request) {
  std::int64_t bytes = 0;
  if (request.count < 0 || __builtin_mul_overflow(std::int64_t{request.count}, type.size, &bytes) ||
      bytes % file.view->etype_size != 0)
    throw Refused{Veto::invalid_arguments};
  return bytes;
}

/// In etypes.
MPI_Offset start_of(const FileState& file, const Request& request) {
  const Result<MPI_Offset> start =
      request.offset ? Result<MPI_Offset>(*request.offset) : position(file);
  if (!start.ok() || *start < 0) throw Refused{Veto::invalid_arguments};
  return *start;
}

plan::Pattern accepted(const Result<plan::Pattern>& pattern) {
  if (!pattern.ok()) throw Refused{Veto::invalid_arguments};
  return *pattern;
}

ReadiedCall readied(const FileState& file, const Request& request) {
  if (const Veto veto = standing_veto(file); veto != Veto::none) throw Refused{veto};
  const mpi::DatatypePtr type = decoded(file, request);
  const std::int64_t bytes = bytes_of(*type, file, request);
  const MPI_Offset start = start_of(file, request);

  ReadiedCall result;
  if (!request.offset) result.new_position = start + bytes / file.view->etype_size;
  if (bytes == 0) return result;
  if (request.buffer == nullptr && type->true_lb < lowest_address)
    throw Refused{Veto::invalid_arguments};
  result.call.buffer = static_cast<std::byte*>(request.buffer);
  result.call.memory = accepted(mpi::memory_pattern(*type, request.count));
  result.call.file = accepted(mpi::file_pattern(*file.view, start, bytes));
  return result;
}

ReadiedCall vetoed(Veto veto) noexcept {
  ReadiedCall result;
  result.call.veto = veto;
  return result;
}

}  // namespace

Result<MPI_Offset> position(const FileState& file) {
  if (lacks_view(file.host_form)) return file.pointer.load();
  MPI_Offset hosts = 0;
  const int code = mpi::call_host(mpi::real_mpi().get_position, file.handle.load(), &hosts);
  if (code != MPI_SUCCESS) return mpi::status_of_mpi(code, "MPI_File_get_position");
  return hosts;
}

Status set_position(FileState& file, MPI_Offset offset) {
  if (!lacks_view(file.host_form))
    return mpi::status_of_mpi(
        mpi::call_host(mpi::real_mpi().seek, file.handle.load(), offset, MPI_SEEK_SET),
        "MPI_File_seek");
  file.pointer = offset;
  return {};
}

ReadiedCall ready_call(const FileState& file, const Request& request) noexcept {
  try {
    return readied(file, request);
  } catch (const Refused& refused) {
    return vetoed(refused.veto);
  } catch (const std::bad_alloc&) {
    return vetoed(Veto::no_memory);
  }
}

Status access_denied(const FileState& file, Direction direction) {
  if ((file.amode & MPI_MODE_RDONLY) != 0 && direction == Direction::write)
    return {ErrorClass::read_only, "a write to a file opened for reading"};
  if ((file.amode & MPI_MODE_WRONLY) != 0 && direction == Direction::read)
    return {ErrorClass::access, "a read of a file opened for writing"};
  return {};
}

Status move_pointer(FileState& file, const ReadiedCall& readied) {
  return readied.new_position ? set_position(file, *readied.new_position) : Status();
}

storage::Access storage_access(int amode) {
  if ((amode & MPI_MODE_RDONLY) != 0) return storage::Access::read_only;
  if ((amode & MPI_MODE_WRONLY) != 0) return storage::Access::write_only;
  return storage::Access::read_write;
}

}  // namespace headrace::preload
