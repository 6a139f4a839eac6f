#include "capi/named_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace headrace::capi {
namespace {

Verdict verdict_of_errno(int error_number, const char* what, const std::string& path) {
  Verdict verdict = verdict_of(Status::from_errno(error_number, std::string(what) + " " + path));
  if (error_number == EEXIST) verdict.error_class = MPI_ERR_FILE_EXISTS;
  return verdict;
}

Verdict check_inode(const struct stat& found, std::uint64_t inode, const std::string& path) {
  if (found.st_ino == inode) return {};
  return {MPI_ERR_BAD_FILE, path + " names another file than the one that was opened"};
}

int open_flags(Creation creation, storage::Access access) {
  int flags = O_CLOEXEC;
  if (access == storage::Access::read_only) flags |= O_RDONLY;
  if (access == storage::Access::write_only) flags |= O_WRONLY;
  if (access == storage::Access::read_write) flags |= O_RDWR;
  if (creation != Creation::never) flags |= O_CREAT;
  if (creation == Creation::exclusive) flags |= O_EXCL;
  return flags;
}

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(::open(path.c_str(), flags, 0666)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const noexcept { return fd_; }

 private:
  int fd_;
};

}  // namespace

Verdict establish(const std::string& path, Creation creation, storage::Access access,
                  std::uint64_t& inode) {
  const Descriptor file(path, open_flags(creation, access));
  struct stat found {};
  if (file.number() < 0 || ::fstat(file.number(), &found) != 0)
    return verdict_of_errno(errno, "cannot open", path);
  if (S_ISDIR(found.st_mode)) return verdict_of_errno(EISDIR, "cannot open", path);
  inode = found.st_ino;
  return {};
}

Verdict resize(const std::string& path, std::uint64_t inode, std::int64_t size) {
  const Descriptor file(path, open_flags(Creation::never, storage::Access::write_only));
  struct stat found {};
  if (file.number() < 0 || ::fstat(file.number(), &found) != 0)
    return verdict_of_errno(errno, "cannot open", path);
  Verdict verdict = check_inode(found, inode, path);
  if (verdict.ok() && ::ftruncate(file.number(), size) != 0)
    verdict = verdict_of_errno(errno, "cannot resize", path);
  return verdict;
}

Verdict size_of(const std::string& path, std::uint64_t inode, std::int64_t& size) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return verdict_of_errno(errno, "cannot look at", path);
  size = found.st_size;
  return check_inode(found, inode, path);
}

Verdict remove(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return {};
  return verdict_of_errno(errno, "cannot remove", path);
}

}  // namespace headrace::capi
