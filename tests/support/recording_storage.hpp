// A file in memory that remembers in which order it was accessed.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "storage/forwarding_storage.hpp"
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

class RecordingStorage final : public storage::ForwardingStorage {
 public:
  using ForwardingStorage::ForwardingStorage;

  Status write(std::int64_t offset, std::span<const std::byte> data) override {
    AccessRecord::add(offset);
    return ForwardingStorage::write(offset, data);
  }
  Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> data) override {
    AccessRecord::add(offset);
    return ForwardingStorage::read(offset, data);
  }
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
