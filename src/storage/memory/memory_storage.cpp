#include "storage/memory/memory_storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

namespace headrace::storage {
namespace {

constexpr std::byte junk{0xDB};

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<MemoryFile>> files;
  std::uint64_t last_inode = 0;
};

Registry& registry() {
  static Registry registry;
  return registry;
}

/// Calls visit(page, offset in the page, piece) for every page that [offset, offset+size) touches.
template <class Byte, class Visit>
void for_each_page(std::int64_t page_size, std::int64_t offset, std::span<Byte> data, Visit visit) {
  while (!data.empty()) {
    const std::int64_t within = offset % page_size;
    const auto length = std::min(data.size(), static_cast<std::size_t>(page_size - within));
    visit(offset / page_size, within, data.first(length));
    data = data.subspan(length);
    offset += static_cast<std::int64_t>(length);
  }
}

}  // namespace

std::shared_ptr<MemoryFile> MemoryFile::create(const std::string& path) {
  const std::lock_guard guard(registry().mutex);
  auto file = std::make_shared<MemoryFile>(path, ++registry().last_inode);
  registry().files[path] = file;
  return file;
}

std::shared_ptr<MemoryFile> MemoryFile::find(const std::string& path) {
  const std::lock_guard guard(registry().mutex);
  const auto found = registry().files.find(path);
  return found == registry().files.end() ? nullptr : found->second.lock();
}

MemoryFile::MemoryFile(std::string path, std::uint64_t inode)
    : path_(std::move(path)), inode_(inode) {}

void MemoryFile::put(std::int64_t offset, std::span<const std::byte> data) {
  if (data.empty()) return;
  for_each_page(page_size, offset, data,
                [this](std::int64_t page, std::int64_t within, auto piece) {
                  Shard& shard = shard_of(page);
                  const std::lock_guard guard(shard.mutex);
                  std::copy(piece.begin(), piece.end(), shard.pages[page].begin() + within);
                });
  const std::int64_t end = offset + static_cast<std::int64_t>(data.size());
  std::int64_t size = this->size();
  while (size < end && !size_.compare_exchange_weak(size, end, std::memory_order_relaxed)) {
  }
}

std::int64_t MemoryFile::get(std::int64_t offset, std::span<std::byte> data) const {
  const std::int64_t length =
      std::clamp<std::int64_t>(size() - offset, 0, static_cast<std::int64_t>(data.size()));
  data = data.first(static_cast<std::size_t>(length));
  for_each_page(page_size, offset, data,
                [this](std::int64_t page, std::int64_t within, auto piece) {
                  const Shard& shard = shard_of(page);
                  const std::lock_guard guard(shard.mutex);
                  const auto found = shard.pages.find(page);
                  if (found == shard.pages.end()) {
                    std::fill(piece.begin(), piece.end(), std::byte{0});
                  } else {
                    std::copy_n(found->second.begin() + within, piece.size(), piece.begin());
                  }
                });
  return length;
}

std::vector<std::byte> MemoryFile::bytes() const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size()));
  get(0, bytes);
  return bytes;
}

std::int64_t MemoryFile::calls(MemoryCall call) const noexcept {
  return calls_[static_cast<int>(call)].load(std::memory_order_relaxed);
}

void MemoryFile::fail(MemoryCall call, std::int64_t nth, int error_number) {
  faults_[static_cast<int>(call)] = {nth, error_number};
}

int MemoryFile::begin_call(MemoryCall call) {
  const std::int64_t before =
      calls_[static_cast<int>(call)].fetch_add(1, std::memory_order_relaxed);
  const Fault& fault = faults_[static_cast<int>(call)];
  return fault.nth == before + 1 ? fault.error_number : 0;
}

bool MemoryFile::conflicts(const Held& wanted) const {
  return std::any_of(held_.begin(), held_.end(), [&](const Held& held) {
    return held.owner != wanted.owner && (held.exclusive || wanted.exclusive) &&
           !intersection(held.range, wanted.range).empty();
  });
}

class MemoryStorage final : public Storage {
 public:
  MemoryStorage(std::shared_ptr<MemoryFile> file, Access access)
      : file_(std::move(file)), access_(access) {}

  ~MemoryStorage() override {
    release([this](const MemoryFile::Held& held) { return held.owner == this; });
  }

  Status write(std::int64_t offset, std::span<const std::byte> data) override {
    int error_number = file_->begin_call(MemoryCall::write);
    if (access_ == Access::read_only) return failure(EBADF, "write", offset, data.size());
    std::size_t length = error_number == 0 ? data.size() : data.size() / 2;
    const auto room =
        static_cast<std::size_t>(std::max<std::int64_t>(file_->capacity_ - offset, 0));
    if (length > room) {
      length = room;
      error_number = ENOSPC;
    }
    file_->put(offset, data.first(length));
    return error_number == 0 ? Status() : failure(error_number, "write", offset, data.size());
  }

  Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> data) override {
    int error_number = file_->begin_call(MemoryCall::read);
    if (!readable()) error_number = EBADF;
    if (error_number == 0) return file_->get(offset, data);
    std::fill(data.begin(), data.end(), junk);
    return failure(error_number, "read", offset, data.size());
  }

  bool readable() const override { return file_->readable(); }

  Status lock(Extent range) override {
    const int error_number = file_->begin_call(MemoryCall::lock);
    if (error_number != 0) return failure(error_number, "lock", range.begin, range.length());
    const MemoryFile::Held wanted{this, range, access_ != Access::read_only};
    std::unique_lock guard(file_->lock_mutex_);
    file_->lock_released_.wait(guard, [&] { return !file_->conflicts(wanted); });
    file_->held_.push_back(wanted);
    return {};
  }

  void unlock(Extent range) override {
    release(
        [&](const MemoryFile::Held& held) { return held.owner == this && held.range == range; });
  }

  Status sync() override {
    const int error_number = file_->begin_call(MemoryCall::sync);
    if (error_number == 0) return {};
    return Status::from_errno(error_number, fmt::format("sync of '{}'", file_->path()));
  }

  Traits traits() const override { return file_->traits_; }

 private:
  template <class Predicate>
  void release(Predicate predicate) {
    const std::lock_guard guard(file_->lock_mutex_);
    std::erase_if(file_->held_, predicate);
    file_->lock_released_.notify_all();
  }

  Status failure(int error_number, const char* operation, std::int64_t offset,
                 std::size_t length) const {
    return Status::from_errno(error_number, fmt::format("{} of {} bytes at offset {} of '{}'",
                                                        operation, length, offset, file_->path()));
  }

  const std::shared_ptr<MemoryFile> file_;
  const Access access_;
};

Result<std::unique_ptr<Storage>> open_memory(const std::string& path, Access access,
                                             std::uint64_t inode) {
  auto file = MemoryFile::find(path);
  const std::string what = fmt::format("open of '{}'", path);
  if (file == nullptr) return Status::from_errno(ENOENT, what);
  if (inode != 0 && inode != file->inode()) {
    return Status(ErrorClass::bad_file, what + ": the path names another file by now");
  }
  if (access != Access::write_only && !file->readable()) return Status::from_errno(EACCES, what);
  return std::unique_ptr<Storage>(new MemoryStorage(std::move(file), access));
}

}  // namespace headrace::storage
