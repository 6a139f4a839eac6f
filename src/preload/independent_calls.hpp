// A rank's calls that wait for nobody, served without the host: independent calls and questions
// about the view, where the handle was not given the view; and its part of nonblocking collectives.
#pragma once

#include <mpi.h>

#include <memory>
#include <mutex>
#include <string>

#include "base/status.hpp"
#include "engine/file_facts.hpp"
#include "engine/independent.hpp"
#include "preload/file_state.hpp"
#include "preload/host_file.hpp"
#include "storage/storage.hpp"

namespace headrace::preload {

/// One per rank and file. Every call is local, and thread-safe: threads may make independent calls
/// on one file at a time, and take turns here.
class IndependentCalls {
 public:
  /// All must outlive the object. The storage is opened when it is needed, by `path` if the file
  /// has it still.
  IndependentCalls(FileState& state, const HostFile& host, const std::string& path);

  /// An independent call, or one rank's part of a nonblocking collective one; moves the individual
  /// file pointer if the request is at it. `facts`: as agreed, or as far as this rank knows them. A
  /// veto means that the call cannot be served here.
  engine::Outcome transfer(const Request& request, const engine::FileFacts& facts) noexcept;

  /// The byte of the file at which etype number `offset` of the view begins. Precondition of this
  /// and the next: there is a view.
  Result<MPI_Offset> byte_offset(MPI_Offset offset) const noexcept;
  /// Where a file of so many bytes ends, in etypes of the view.
  MPI_Offset end(MPI_Offset bytes) const noexcept;

  /// Flushes what was written here to the device.
  Status sync() noexcept;

 private:
  engine::Outcome served(const ReadiedCall& readied, Direction direction,
                         const engine::FileFacts& facts);
  Status open(std::uint64_t inode);

  FileState& state_;
  const HostFile& host_;
  const std::string& path_;
  std::mutex turn_;
  std::unique_ptr<storage::Storage> storage_;
  bool has_written_ = false;  // since the last sync()
  engine::IndependentIo::Packing packing_;
};

}  // namespace headrace::preload
