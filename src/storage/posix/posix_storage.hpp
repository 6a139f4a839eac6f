// A storage over a file descriptor: pwrite, pread and open-file-description locks. It serves every
// file system that the kernel mounts, and character devices such as /dev/full and /dev/null.
#pragma once

#include <sys/types.h>

#include "base/unique_fd.hpp"
#include "storage/storage.hpp"

namespace headrace::storage {

/// The system calls that may be interrupted, be short or fail. Tests put their own in their place,
/// because a real file system gives short transfers and EINTR only by chance.
struct PosixCalls {
  ssize_t (*pwrite)(int, const void*, size_t, off_t);
  ssize_t (*pread)(int, void*, size_t, off_t);
  int (*fsync)(int);
};
extern const PosixCalls real_posix_calls;

/// An open descriptor, and whether it can be read from.
struct PosixFile {
  UniqueFd descriptor;
  bool readable;
};

/// Opens an existing file. Errors:
/// - the errno of open(), with its class: a missing file is never made, a file never truncated;
/// - a directory is bad_file whatever the access;
/// - bad_file where `inode` is not zero and the path names another file by now. This guards regular
///   files only: a device has one node on each machine, with an inode number of its own there.
///
/// Access::write_only is opened for reading too where permissions allow, so that holes can be
/// preserved by read-modify-write.
Result<PosixFile> open_posix_file(const std::string& path, Access access, std::uint64_t inode);

/// storage::Opener, with the errors of open_posix_file().
///
/// Locks are shared (F_RDLCK) for Access::read_only and exclusive (F_WRLCK) otherwise. They belong
/// to the object, so that two objects of one process exclude each other, and end with it.
Result<std::unique_ptr<Storage>> open_posix(const std::string& path, Access access,
                                            std::uint64_t inode);

/// open_posix with other system calls, which must outlive the object.
Result<std::unique_ptr<Storage>> open_posix_with(const PosixCalls& calls, const std::string& path,
                                                 Access access, std::uint64_t inode);

}  // namespace headrace::storage
