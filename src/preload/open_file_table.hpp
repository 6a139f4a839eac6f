// The files this process has open, by MPI handle.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "preload/open_file.hpp"

namespace headrace::preload {

/// Thread-safe. Handles are compared as bytes: MPI says nothing of what they are.
class OpenFileTable {
 public:
  void add(const std::shared_ptr<OpenFile>& file);
  void remove(const OpenFile& file);
  /// By the program's handle, or by the host's, with which the host calls an error handler. Null if
  /// Headrace has not seen it opened.
  std::shared_ptr<OpenFile> find(MPI_File handle);
  /// Whether Headrace gave the program this handle.
  bool has_given(MPI_File handle);
  std::vector<std::shared_ptr<OpenFile>> all();

  /// A Fortran handle of a file whose handle Headrace gave; and back, null for others.
  MPI_Fint fortran_handle(const OpenFile& file);
  std::shared_ptr<OpenFile> find_fortran(MPI_Fint handle);

 private:
  using Key = std::array<std::byte, sizeof(MPI_File)>;
  static Key key_of(MPI_File handle) noexcept;

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<OpenFile>> files_;  // by the program's
  // Out of the way of hosts, which count from 0 or 1, and give numbers of closed files again.
  MPI_Fint next_fortran_ = 1 << 28;
  std::map<MPI_Fint, Key> by_fortran_;
};

/// The table of this process. It is never destroyed: a file left open at MPI_Finalize is left to
/// the end of the process. To free what its ranks share is collective, so it is forbidden after
/// MPI_Finalize, and before (in an attribute's callback on MPI_COMM_SELF) it could hang: nothing
/// says that every rank has left the same files open, and in which order it would come to them.
/// Nothing outlives the process, for shared memory has lost its name when it is in use.
OpenFileTable& open_files();

/// The host's handle of the program's, opened now if it has not been: of a file that Headrace has
/// not seen opened the same. Null where it cannot be opened.
MPI_File host_handle(MPI_File file) noexcept;
/// The same, of a file that has been looked for in the table: `known` or null.
MPI_File host_handle(MPI_File file, const std::shared_ptr<OpenFile>& known) noexcept;

}  // namespace headrace::preload
