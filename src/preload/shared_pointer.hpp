// The shared file pointer of one open file.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.hpp"
#include "storage/storage.hpp"

namespace headrace::preload {

/// One per rank and file; all ranks' are one pointer. It lies in a hidden file beside the data, as
/// ROMIO's does, as calls that move it wait for no other rank: made by the first such call of any
/// rank, and changed under a lock. A view begins with a pointer of its own, at zero, so that
/// setting one need not reset anything: the file has eight bytes for each.
///
/// Local and thread-safe, but for the constructor and remove().
class SharedPointer {
 public:
  /// Of the file at `path`. `token`: the same on all ranks, and other than that of any other file
  /// that is open beside it. `begin`: in the view that the file is opened with.
  SharedPointer(const std::string& path, std::uint64_t token, MPI_Offset begin);

  /// The program has set a view.
  void begin_view() { ++view_; }
  /// Moves the pointer by `etypes`; returns where it was.
  Result<MPI_Offset> advance(MPI_Offset etypes) noexcept;
  Status set(MPI_Offset etypes) noexcept;

  /// When no rank uses the pointer any more.
  void remove() noexcept;

 private:
  Status open();
  template <class Change>
  Result<MPI_Offset> update(Change change);

  std::string path_;
  MPI_Offset begin_;
  std::int64_t view_ = 0;
  std::mutex turn_;
  std::unique_ptr<storage::Storage> storage_;
  bool has_made_it_ = false;
};

}  // namespace headrace::preload
