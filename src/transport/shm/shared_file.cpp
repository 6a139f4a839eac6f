#include "transport/shm/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <random>
#include <string>

#include "transport/shm/huge_pages.hpp"

namespace headrace::transport {
namespace {

std::array<char, 40> name_of(const FileLocation& location) {
  const auto& [a, b, c] = location.name;
  std::array<char, 40> name;
  std::snprintf(name.data(), name.size(), "/headrace-%08x%08x%08x", a, b, c);
  return name;
}

void give_name(FileLocation& location) {
  std::random_device random;
  location.name = {random() | 1U, random(), random()};
}

UniqueFd make_file(const FileLocation& location) {
  if (!location.is_named()) return UniqueFd(memfd_create("headrace", MFD_CLOEXEC));
  return UniqueFd(shm_open(name_of(location).data(), O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR));
}

UniqueFd open_file(const FileLocation& location) {
  if (location.is_named()) return UniqueFd(shm_open(name_of(location).data(), O_RDWR, 0));
  const std::string path =
      "/proc/" + std::to_string(location.pid) + "/fd/" + std::to_string(location.fd);
  return UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
}

/// False if the system does not say.
bool identify(int fd, FileLocation& location) {
  struct stat about;
  if (fstat(fd, &about) != 0) return false;
  location.device = about.st_dev;
  location.inode = about.st_ino;
  return true;
}

}  // namespace

Result<SharedFile> SharedFile::create(FileNaming naming) {
  SharedFile file;
  FileLocation location;
  if (naming == FileNaming::named) give_name(location);
  file.fd_ = make_file(location);
  if (!file.fd_) return Status::from_errno(errno, "cannot make shared memory");
  file.location_ = location;
  file.location_.pid = getpid();
  file.location_.fd = file.fd();
  if (!identify(file.fd(), file.location_))
    return Status::from_errno(errno, "cannot identify shared memory");
  return file;
}

void SharedFile::remove_name() noexcept {
  if (location_.is_named()) shm_unlink(name_of(location_).data());
}

Result<UniqueFd> open_shared_file(const FileLocation& location) {
  UniqueFd fd = open_file(location);
  if (!fd) return Status::from_errno(errno, "cannot open another process's shared memory");
  FileLocation found;
  if (!identify(fd.get(), found) || found.device != location.device ||
      found.inode != location.inode)
    return Status(ErrorClass::other, "another process's shared memory is not where it says");
  return fd;
}

Status allocate_backing(int fd, std::int64_t offset, std::int64_t bytes) {
  back_with_huge_pages(fd, offset, bytes);
  // In pieces, because a signal makes the kernel undo the piece it is at.
  constexpr std::int64_t piece = 64 << 20;
  for (std::int64_t done = 0; done < bytes;) {
    const std::int64_t length = std::min(piece, bytes - done);
    const int error = posix_fallocate(fd, offset + done, length);
    if (error == EINTR) continue;
    if (error != 0) {
      fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, bytes);
      const Status why = Status::from_errno(error, "cannot have more shared memory");
      return {ErrorClass::no_memory, why.message()};
    }
    done += length;
  }
  return {};
}

}  // namespace headrace::transport
