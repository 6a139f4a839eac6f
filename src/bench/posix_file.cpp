#include "bench/posix_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "bench/checked.hpp"

namespace headrace::bench {
namespace {

/// `move(done)` moves bytes from the one at `done` on and says how many, as pwrite does.
template <class Move>
void move_all(std::size_t bytes, const std::string& what, Move move) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t moved = move(done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) throw std::runtime_error(Status::from_errno(errno, what).message());
    if (moved == 0) throw std::runtime_error(what + ": the file ends too early");
    done += static_cast<std::size_t>(moved);
  }
}

UniqueFd opened(const std::string& path, int flags) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!fd) throw std::runtime_error(Status::from_errno(errno, path).message());
  return fd;
}

}  // namespace

void PosixFile::open(MPI_Comm comm, const std::string& path, bool is_write) {
  path_ = path;
  const bool creates = is_write && rank_of(comm) == 0;
  if (creates) fd_ = opened(path, O_RDWR | O_CREAT);
  check(MPI_Barrier(comm), "MPI_Barrier");
  if (!creates) fd_ = opened(path, is_write ? O_RDWR : O_RDONLY);
}

void PosixFile::write_at(std::int64_t offset, std::span<const std::byte> bytes) const {
  move_all(bytes.size(), "writing " + path_, [&](std::size_t done) {
    return pwrite(fd_.get(), bytes.data() + done, bytes.size() - done,
                  offset + static_cast<std::int64_t>(done));
  });
}

void PosixFile::read_at(std::int64_t offset, std::span<std::byte> bytes) const {
  move_all(bytes.size(), "reading " + path_, [&](std::size_t done) {
    return pread(fd_.get(), bytes.data() + done, bytes.size() - done,
                 offset + static_cast<std::int64_t>(done));
  });
}

}  // namespace headrace::bench
