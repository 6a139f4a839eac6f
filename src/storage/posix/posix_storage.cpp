#include "storage/posix/posix_storage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "storage/posix/file_system.hpp"

namespace headrace::storage {

const PosixCalls real_posix_calls{::pwrite, ::pread, ::fsync};

namespace {

static_assert(sizeof(off_t) == 8, "file offsets must have 64 bits");

/// Linux moves at most 0x7ffff000 bytes a call, other kernels refuse more than 2 GiB.
constexpr std::size_t largest_transfer = std::size_t{1} << 30;

/// Repeats `call` while signals interrupt it. A failure is -1 and errno.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

struct Transfer {
  std::size_t done = 0;
  int error_number = 0;
};

/// Calls `move(done, bytes)` until `length` bytes are moved, it fails, or it moves nothing.
template <class Move>
Transfer transfer(std::size_t length, Move move) {
  Transfer transfer;
  while (transfer.done < length) {
    const std::size_t bytes = std::min(length - transfer.done, largest_transfer);
    const ssize_t moved = uninterrupted([&] { return move(transfer.done, bytes); });
    if (moved < 0) transfer.error_number = errno;
    if (moved <= 0) break;
    transfer.done += static_cast<std::size_t>(moved);
  }
  return transfer;
}

class PosixStorage final : public Storage {
 public:
  PosixStorage(const PosixCalls& calls, std::string path, PosixFile file, bool writable)
      : calls_(calls),
        path_(std::move(path)),
        descriptor_(std::move(file.descriptor)),
        readable_(file.readable),
        writable_(writable),
        traits_(traits_of(descriptor_.get())) {}

  Status write(std::int64_t offset, std::span<const std::byte> data) override {
    Transfer written = transfer(data.size(), [&](std::size_t done, std::size_t bytes) {
      return calls_.pwrite(fd(), data.data() + done, bytes, offset + static_cast<off_t>(done));
    });
    if (written.done == data.size()) return {};
    // A write that neither moves a byte nor says why would be repeated for ever.
    if (written.error_number == 0) written.error_number = EIO;
    return failure("write", offset, data.size(), written);
  }

  Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> data) override {
    const Transfer got = transfer(data.size(), [&](std::size_t done, std::size_t bytes) {
      return calls_.pread(fd(), data.data() + done, bytes, offset + static_cast<off_t>(done));
    });
    if (got.error_number != 0) return failure("read", offset, data.size(), got);
    return static_cast<std::int64_t>(got.done);
  }

  bool readable() const override { return readable_; }

  Status lock(Extent range) override {
    const short type = writable_ ? F_WRLCK : F_RDLCK;
    if (uninterrupted([&] { return set_lock(range, type); }) == 0) return {};
    const bool unsupported = errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS;
    return Status::from_errno(
        errno, fmt::format("lock of {} bytes at offset {} of '{}'{}", range.length(), range.begin,
                           path_, unsupported ? " (not supported by this file system)" : ""));
  }

  void unlock(Extent range) override {
    // It can fail only for want of memory in the kernel; closing the file then frees the lock.
    (void)uninterrupted([&] { return set_lock(range, F_UNLCK); });
  }

  Status sync() override {
    if (uninterrupted([&] { return calls_.fsync(fd()); }) == 0) return {};
    // A device such as /dev/null has nothing that could be made durable.
    if (errno == EINVAL) return {};
    return Status::from_errno(errno, fmt::format("sync of '{}'", path_));
  }

  Traits traits() const override { return traits_; }

 private:
  int fd() const noexcept { return descriptor_.get(); }

  int set_lock(Extent range, short type) const {
    // For the kernel a length of zero means everything up to the end of the file.
    if (range.empty()) return 0;
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = range.begin;
    lock.l_len = range.length();
    return ::fcntl(fd(), F_OFD_SETLKW, &lock);
  }

  Status failure(const char* operation, std::int64_t offset, std::size_t length,
                 Transfer transfer) const {
    return Status::from_errno(transfer.error_number,
                              fmt::format("{} of {} bytes at offset {} of '{}' (after {} bytes)",
                                          operation, length, offset, path_, transfer.done));
  }

  const PosixCalls& calls_;
  std::string path_;
  UniqueFd descriptor_;
  bool readable_;
  bool writable_;
  Traits traits_;
};

/// Without a descriptor, and errno: failed.
PosixFile open_descriptor(const std::string& path, Access access) {
  const auto open = [&](int flags) {
    return UniqueFd(uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC); }));
  };
  if (access == Access::read_only) return {open(O_RDONLY), true};
  UniqueFd both = open(O_RDWR);
  if (both || access != Access::write_only || errno != EACCES) return {std::move(both), true};
  return {open(O_WRONLY), false};
}

/// Why the file just opened must not be used; ok if it may.
Status inspect(int fd, const std::string& path, std::uint64_t inode) {
  struct stat file {};
  if (::fstat(fd, &file) != 0) return Status::from_errno(errno, fmt::format("stat of '{}'", path));
  if (S_ISDIR(file.st_mode)) return Status::from_errno(EISDIR, fmt::format("open of '{}'", path));
  if (inode == 0 || !S_ISREG(file.st_mode) || file.st_ino == inode) return {};
  return {ErrorClass::bad_file, fmt::format("open of '{}': the path names another file by now "
                                            "(inode {}, not {})",
                                            path, file.st_ino, inode)};
}

}  // namespace

Result<PosixFile> open_posix_file(const std::string& path, Access access, std::uint64_t inode) {
  PosixFile file = open_descriptor(path, access);
  if (!file.descriptor) return Status::from_errno(errno, fmt::format("open of '{}'", path));
  Status refusal = inspect(file.descriptor.get(), path, inode);
  if (!refusal.ok()) return refusal;
  return file;
}

Result<std::unique_ptr<Storage>> open_posix_with(const PosixCalls& calls, const std::string& path,
                                                 Access access, std::uint64_t inode) {
  Result<PosixFile> file = open_posix_file(path, access, inode);
  if (!file.ok()) return file.status();
  return std::unique_ptr<Storage>(
      new PosixStorage(calls, path, std::move(*file), access != Access::read_only));
}

Result<std::unique_ptr<Storage>> open_posix(const std::string& path, Access access,
                                            std::uint64_t inode) {
  return open_posix_with(real_posix_calls, path, access, inode);
}

}  // namespace headrace::storage
