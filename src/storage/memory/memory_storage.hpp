// A file in memory, shared by the storages of several threads, that fails when it is told to. It is
// what the engine's tests run on, and it is as unkind as the contract allows: a failed write leaves
// half of its data behind, a failed read leaves junk.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "storage/storage.hpp"

namespace headrace::storage {

/// The calls on storages that a MemoryFile counts and can let fail.
enum class MemoryCall { write, read, lock, sync, count };

/// Thread-safe, except that faults and traits are to be set before the storages are used. Accesses
/// to different pages do not synchronise with each other, so that a race in the code above stays
/// visible to ThreadSanitizer.
class MemoryFile {
 public:
  /// The file that open_memory finds under `path` as long as somebody holds the pointer. Replaces
  /// the file that had this path before.
  static std::shared_ptr<MemoryFile> create(const std::string& path);
  /// nullptr if there is none.
  static std::shared_ptr<MemoryFile> find(const std::string& path);

  /// Use create().
  MemoryFile(std::string path, std::uint64_t inode);

  const std::string& path() const noexcept { return path_; }
  std::uint64_t inode() const noexcept { return inode_; }
  std::int64_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

  /// Direct access, neither counted nor failing. Reads give what the file holds, zeros in holes,
  /// and return how many bytes lie before its end.
  void put(std::int64_t offset, std::span<const std::byte> data);
  std::int64_t get(std::int64_t offset, std::span<std::byte> data) const;
  /// The whole file.
  std::vector<std::byte> bytes() const;

  /// How often the storages of this file have been called, failing calls included.
  std::int64_t calls(MemoryCall call) const noexcept;

  /// The `nth` call from the file's creation on (1: the first), by whichever storage, fails with
  /// this errno; one such fault for each kind of call. 0: none does.
  void fail(MemoryCall call, std::int64_t nth, int error_number);
  /// Bytes at offsets from `capacity` on have no room: a write there puts down what fits and fails
  /// with ENOSPC. By offset, so that it does not depend on which rank comes first.
  void set_capacity(std::int64_t capacity) { capacity_ = capacity; }
  /// Whether storages may read it.
  void set_readable(bool readable) { readable_ = readable; }
  bool readable() const noexcept { return readable_; }
  void set_traits(Traits traits) { traits_ = traits; }

 private:
  friend class MemoryStorage;

  static constexpr std::int64_t page_size = 4096;
  using Page = std::array<std::byte, page_size>;
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::int64_t, Page> pages;
  };
  struct Fault {
    std::int64_t nth = 0;
    int error_number = 0;
  };
  struct Held {
    const void* owner;
    Extent range;
    bool exclusive;
  };

  /// Counts the call; the errno with which it must fail, or 0.
  int begin_call(MemoryCall call);
  bool conflicts(const Held& wanted) const;
  Shard& shard_of(std::int64_t page) const { return shards_[page % shards_.size()]; }

  const std::string path_;
  const std::uint64_t inode_;
  mutable std::array<Shard, 61> shards_;
  std::atomic<std::int64_t> size_{0};
  std::array<std::atomic<std::int64_t>, static_cast<int>(MemoryCall::count)> calls_{};
  std::array<Fault, static_cast<int>(MemoryCall::count)> faults_{};
  std::int64_t capacity_ = std::int64_t{1} << 62;
  bool readable_ = true;
  Traits traits_;

  std::mutex lock_mutex_;
  std::condition_variable lock_released_;
  std::vector<Held> held_;
};

/// storage::Opener for the files of MemoryFile::create. As open_posix: ENOENT, EACCES for reading a
/// file that is not readable, bad_file where the inode differs. The storage keeps the file alive.
Result<std::unique_ptr<Storage>> open_memory(const std::string& path, Access access,
                                             std::uint64_t inode);

}  // namespace headrace::storage
