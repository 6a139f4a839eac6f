// A file in memory that remembers in which order it was accessed.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "storage/memory/memory_storage.hpp"

namespace headrace::test {

/// The offsets of all accesses by storages of open_recording, in the order in which they began.
class AccessRecord {
 public:
  static void add(std::int64_t offset) {
    const std::lock_guard lock(mutex());
    offsets().push_back(offset);
  }
  /// What was recorded since it was taken last.
  static std::vector<std::int64_t> take() {
    const std::lock_guard lock(mutex());
    return std::exchange(offsets(), {});
  }

 private:
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static std::vector<std::int64_t>& offsets() {
    static std::vector<std::int64_t> offsets;
    return offsets;
  }
};

class RecordingStorage final : public storage::Storage {
 public:
  explicit RecordingStorage(std::unique_ptr<Storage> file) : file_(std::move(file)) {}

  Status write(std::int64_t offset, std::span<const std::byte> data) override {
    AccessRecord::add(offset);
    return file_->write(offset, data);
  }
  Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> data) override {
    AccessRecord::add(offset);
    return file_->read(offset, data);
  }
  bool readable() const override { return file_->readable(); }
  Status lock(Extent range) override { return file_->lock(range); }
  void unlock(Extent range) override { file_->unlock(range); }
  Status sync() override { return file_->sync(); }
  storage::Traits traits() const override { return file_->traits(); }

 private:
  std::unique_ptr<Storage> file_;
};

/// storage::Opener for the files of MemoryFile::create.
inline Result<std::unique_ptr<storage::Storage>> open_recording(const std::string& path,
                                                                storage::Access access,
                                                                std::uint64_t inode) {
  auto file = storage::open_memory(path, access, inode);
  if (!file.ok()) return file.status();
  return std::unique_ptr<storage::Storage>(std::make_unique<RecordingStorage>(std::move(*file)));
}

}  // namespace headrace::test
