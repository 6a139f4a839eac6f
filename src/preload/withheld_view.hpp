// A rank's independent calls, and its questions about the view, where the host was not given the
// view.
#pragma once

#include <mpi.h>

#include <memory>
#include <mutex>
#include <string>

#include "base/status.hpp"
#include "engine/file_facts.hpp"
#include "engine/independent.hpp"
#include "preload/file_state.hpp"
#include "storage/storage.hpp"

namespace headrace::preload {

/// One per rank and view. Every call is local, and thread-safe: threads may make independent calls
/// on one file at a time, and take turns here.
class WithheldView {
 public:
  /// `state` and `facts` must outlive the object; `state` has a view. The storage is opened when it
  /// is needed.
  WithheldView(FileState& state, const engine::FileFacts& facts, std::string path);

  /// An independent call, or one rank's part of a nonblocking collective one; moves the individual
  /// file pointer if the request is at it. A veto means that the call cannot be served at all.
  engine::Outcome transfer(const Request& request) noexcept;

  /// The byte of the file at which etype number `offset` of the view begins.
  Result<MPI_Offset> byte_offset(MPI_Offset offset) const noexcept;
  /// Where the file ends, in etypes of the view.
  Result<MPI_Offset> end() const noexcept;

 private:
  engine::Outcome served(const ReadiedCall& readied, Direction direction);
  Status open();

  FileState& state_;
  const engine::FileFacts& facts_;
  std::string path_;
  std::mutex turn_;
  std::unique_ptr<storage::Storage> storage_;
  engine::IndependentIo::Packing packing_;
};

}  // namespace headrace::preload
