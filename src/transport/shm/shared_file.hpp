// Files of shared memory: made by one process, opened by others of the same machine.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/status.hpp"
#include "base/unique_fd.hpp"

namespace headrace::transport {

/// How other processes find a file.
enum class FileNaming {
  anonymous,  ///< /proc/<pid>/fd/<n> of its maker, as long as that lives: no name that could stay
  named       ///< a name in /dev/shm, until SharedFile::remove_name: where /proc is closed
};

/// Where a file is to be found; of nobody's if there is no pid. Plain data, sent as bytes from
/// process to process.
struct FileLocation {
  bool is_named() const noexcept { return name != decltype(name){}; }

  std::int32_t pid = -1;
  std::int32_t fd = -1;
  std::array<std::uint32_t, 3> name{};  ///< of which its name is made; zeros: anonymous
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

/// A sparse, empty file in memory, closed on exec. Not thread-safe.
class SharedFile {
 public:
  SharedFile() = default;
  static Result<SharedFile> create(FileNaming naming);
  SharedFile(SharedFile&& other) noexcept
      : fd_(std::move(other.fd_)), location_(std::exchange(other.location_, {})) {}
  SharedFile& operator=(SharedFile&&) = delete;
  /// Those who have opened the file by its name keep it.
  ~SharedFile() { remove_name(); }

  int fd() const noexcept { return fd_.get(); }
  const FileLocation& location() const noexcept { return location_; }
  /// The descriptor, by which others may find the file. The name, if there is one, stays here.
  UniqueFd give_away() noexcept { return std::move(fd_); }

 private:
  void remove_name() noexcept;

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
