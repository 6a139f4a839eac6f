// Files of shared memory: made by one process, opened by others of the same machine.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "base/unique_fd.hpp"

namespace headrace::transport {

/// How other processes find a file.
enum class FileNaming {
  anonymous,  ///< /proc/<pid>/fd/<n> of its maker, as long as that lives: no name that could stay
  named       ///< a name in /dev/shm, until SharedFile::remove_name: where /proc is closed
};

/// Where a file is to be found. Plain data, sent as bytes from process to process.
struct FileLocation {
  std::int32_t pid = -1;
  std::int32_t fd = -1;
  std::array<char, 40> name{};  ///< empty: anonymous
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

/// A sparse, empty file in memory, closed on exec. Not thread-safe.
class SharedFile {
 public:
  SharedFile() = default;
  static Result<SharedFile> create(FileNaming naming);
  SharedFile(SharedFile&&) noexcept = default;
  SharedFile& operator=(SharedFile&&) noexcept = default;
  /// Removes the name too.
  ~SharedFile() { remove_name(); }

  int fd() const noexcept { return fd_.get(); }
  const FileLocation& location() const noexcept { return location_; }
  /// Those who have opened the file keep it. Harmless if done twice.
  void remove_name() noexcept;

 private:
  UniqueFd fd_;
  FileLocation location_;
};

/// Opens another process's file. Fails if what is found there is not that file: pids mean something
/// else in another pid namespace.
Result<UniqueFd> open_shared_file(const FileLocation& location);

/// Backs the file's bytes [offset, offset + bytes) with memory, zeroed, in huge pages where they
/// fit and are to be had, so that touching them cannot fail later. After a failure (no_memory) the
/// bytes from offset on are given back.
Status allocate_backing(int fd, std::int64_t offset, std::int64_t bytes);

}  // namespace headrace::transport
