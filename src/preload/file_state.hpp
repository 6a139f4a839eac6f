// What a rank knows about one open file, as the program set it by MPI calls.
#pragma once

#include <mpi.h>

#include <optional>

#include "base/direction.hpp"
#include "engine/collective_file.hpp"
#include "mpi/view.hpp"
#include "storage/storage.hpp"

namespace headrace::preload {

struct FileState {
  MPI_File handle;
  MPI_Comm comm;  ///< Headrace's own duplicate of the file's communicator
  int amode = 0;
  /// None: the filetype could not be decoded.
  std::optional<mpi::View> view = mpi::default_view();
  /// The view's data representation is what memory has.
  bool native = true;
  bool atomic = false;
};

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
Status move_pointer(const FileState& file, const ReadiedCall& readied);

/// What `amode` lets a program do with the file.
storage::Access storage_access(int amode);

}  // namespace headrace::preload
