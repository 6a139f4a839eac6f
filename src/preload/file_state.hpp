// What a rank knows about one open file, as the program set it by MPI calls.
#pragma once

#include <mpi.h>

#include <atomic>
#include <optional>

#include "base/direction.hpp"
#include "base/status.hpp"
#include "engine/collective_file.hpp"
#include "mpi/view.hpp"
#include "preload/host_view.hpp"
#include "storage/storage.hpp"

namespace headrace::preload {

struct FileState {
  /// The host's; null while it is not open, and then it lacks the view.
  std::atomic<MPI_File> handle = MPI_FILE_NULL;
  MPI_Comm comm;  ///< Headrace's own duplicate of the file's communicator
  int amode = 0;
  /// None: the filetype could not be decoded.
  std::optional<mpi::View> view = mpi::default_view();
  /// The view's data representation is what memory has.
  bool native = true;
  bool atomic = false;
  std::int64_t etype_size = 1;
  /// In which the handle has the view, or has not been given it.
  std::atomic<HostViewForm> host_form = HostViewForm::plain;
  /// The individual file pointer, in etypes, if the handle lacks the view; else the handle has it.
  /// Threads may make independent calls on one file at a time.
  std::atomic<MPI_Offset> pointer = 0;
};

/// The individual file pointer, in etypes.
Result<MPI_Offset> position(const FileState& file);
/// Moves it there. `offset` >= 0.
Status set_position(FileState& file, MPI_Offset offset);

/// One collective data call, as the program made it.
struct Request {
  Direction direction = Direction::write;
  /// In etypes; none: where the individual file pointer stands.
  std::optional<MPI_Offset> offset;
  void* buffer = nullptr;  ///< not written to by a write
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// A request, made ready for the engine.
struct ReadiedCall {
  engine::Call call;
  /// Where the individual file pointer must stand afterwards, in etypes, if it must move.
  std::optional<MPI_Offset> new_position;
};

/// Arguments that are not plainly valid become a veto: the host then reports its own error in its
/// own way. Local; makes no call that can fail through the file's error handler.
ReadiedCall ready_call(const FileState& file, const Request& request) noexcept;

/// The error of a call that the file's mode forbids, the same on every rank. Not left to the host:
/// OMPIO lets collective writes to a file opened for reading succeed, and writes nothing.
Status access_denied(const FileState& file, Direction direction);

/// Moves the individual file pointer to where it must stand after `readied`.
Status move_pointer(FileState& file, const ReadiedCall& readied);

/// What `amode` lets a program do with the file.
storage::Access storage_access(int amode);

}  // namespace headrace::preload
