#include "preload/shared_pointer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <new>
#include <span>

#include "storage/posix/posix_storage.hpp"

namespace headrace::preload {

SharedPointer::SharedPointer(const std::string& path, std::uint64_t token, MPI_Offset begin)
    : path_((std::filesystem::path(path).parent_path() /
             fmt::format(".headrace-shared-pointer-{:016x}", token))
                .string()),
      begin_(begin) {}

Status SharedPointer::open() {
  if (storage_) return {};
  const int made = ::open(path_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (made < 0 && errno != EEXIST)
    return Status::from_errno(errno, "the shared file pointer, " + path_);
  if (made >= 0) {
    has_made_it_ = true;
    ::close(made);
  }
  auto opened = storage::open_posix(path_, storage::Access::read_write, 0);
  if (opened.ok()) storage_ = std::move(*opened);
  return opened.status();
}

/// Puts change(pointer) in place of the pointer; returns what it was.
template <class Change>
Result<MPI_Offset> SharedPointer::update(Change change) try {
  const std::scoped_lock turn(turn_);
  if (Status opened = open(); !opened.ok()) return opened;
  // Zero, which is what lies beyond the end of the file, is where the view begins.
  std::int64_t moved = 0;
  const MPI_Offset begin = view_ == 0 ? begin_ : 0;
  const auto place = std::int64_t{sizeof moved} * view_;
  const Extent range{place, place + std::int64_t{sizeof moved}};
  if (Status locked = storage_->lock(range); !locked.ok()) return locked;
  const auto bytes = std::as_writable_bytes(std::span(&moved, 1));
  Status done = storage_->read(place, bytes).status();
  const MPI_Offset was = begin + moved;
  moved = change(was) - begin;
  if (done.ok() && begin + moved != was) done = storage_->write(place, bytes);
  storage_->unlock(range);
  if (!done.ok()) return done;
  return was;
} catch (const std::bad_alloc&) {
  return Status(ErrorClass::no_memory, "no memory for the shared file pointer");
}

Result<MPI_Offset> SharedPointer::advance(MPI_Offset etypes) noexcept {
  return update([&](MPI_Offset was) { return was + etypes; });
}

Status SharedPointer::set(MPI_Offset etypes) noexcept {
  return update([&](MPI_Offset) { return etypes; }).status();
}

void SharedPointer::remove() noexcept {
  storage_.reset();
  if (has_made_it_) ::unlink(path_.c_str());
}

}  // namespace headrace::preload
