// The files this process has open, by MPI handle.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "preload/open_file.hpp"

namespace headrace::preload {

/// Thread-safe. Handles are compared as bytes: MPI says nothing of what they are.
class OpenFileTable {
 public:
  void add(MPI_File handle, std::shared_ptr<OpenFile> file);
  /// Null if Headrace has not seen it opened.
  std::shared_ptr<OpenFile> find(MPI_File handle);
  /// The same, and forgets it.
  std::shared_ptr<OpenFile> take(MPI_File handle);

 private:
  using Key = std::array<std::byte, sizeof(MPI_File)>;
  static Key key_of(MPI_File handle) noexcept;

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<OpenFile>> files_;
};

/// The table of this process. It is never destroyed: a file left open at MPI_Finalize is left to
/// the end of the process. To free what its ranks share is collective, so it is forbidden after
/// MPI_Finalize, and before (in an attribute's callback on MPI_COMM_SELF) it could hang: nothing
/// says that every rank has left the same files open, and in which order it would come to them.
/// Nothing outlives the process, for shared memory has lost its name when it is in use.
OpenFileTable& open_files();

}  // namespace headrace::preload
