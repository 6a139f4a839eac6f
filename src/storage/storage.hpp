// The contract of a storage: one open file, read and written at explicit offsets.
// Drivers hold what the file system is about (striping, locking, direct I/O), never an algorithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/extent.hpp"
#include "base/status.hpp"

namespace headrace::storage {

/// What planning may ask of a file system. All sizes in bytes; zero means "no such thing".
struct Traits {
  std::int64_t stripe_size = 0;
  std::int64_t stripe_count = 0;
  /// False where collective writes by several processes through their own descriptors are not
  /// coherent (NFS); the call then goes to the host MPI.
  bool coherent = true;
  /// Whether an access waits so long for others than this machine's processors that it is worth a
  /// thread of its own.
  bool slow = false;
  /// What an access is best a multiple of: 4 KiB of local file systems, and MiB of those that are
  /// spread over servers and lock by blocks.
  std::int64_t block_size = 0;
};

/// Used by one thread at a time; one object per rank. Offsets and lengths are in bytes, offsets >=
/// 0.
class Storage {
 public:
  virtual ~Storage() = default;

  /// Writes all of `data`, or fails. Interrupted and short writes are continued. After a failure
  /// the range may hold any mixture of old and new bytes.
  virtual Status write(std::int64_t offset, std::span<const std::byte> data) = 0;

  /// Reads up to data.size() bytes and returns how many; fewer only where the file ends. Bytes of
  /// `data` beyond those are left as they were, so that it may be a user's own buffer; after a
  /// failure all are unspecified.
  virtual Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> data) = 0;

  /// Whether read() is possible (a file may be writable only).
  virtual bool readable() const = 0;

  /// Excludes other processes' read-modify-write cycles on `range` until unlock(). Advisory: it
  /// protects against other holders of this lock, not against plain writes.
  virtual Status lock(Extent range) = 0;
  virtual void unlock(Extent range) = 0;

  /// Tells that what is read and written in `range` from now on is one service of it: the window of
  /// a round. Other ranges are not concerned. Most storages have no use for it.
  virtual void begin_service(Extent range) { (void)range; }

  /// Makes what was written durable (fsync).
  virtual Status sync() = 0;

  virtual Traits traits() const = 0;
};

enum class Access { read_only, write_only, read_write };

/// Opens an existing file; `inode` (0: any) guards against a path that names another file by now.
/// Never creates or truncates.
using Opener = Result<std::unique_ptr<Storage>> (*)(const std::string& path, Access access,
                                                    std::uint64_t inode);

}  // namespace headrace::storage
