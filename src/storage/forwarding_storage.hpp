// A storage that hands on to another one what it does not do itself.
#pragma once

#include <memory>
#include <utility>

#include "storage/storage.hpp"

namespace headrace::storage {

/// For those that change a little of another storage, which they own.
class ForwardingStorage : public Storage {
 public:
  /// `storage` is not null.
  explicit ForwardingStorage(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}

  Status write(std::int64_t offset, std::span<const std::byte> data) override {
    return storage_->write(offset, data);
  }
  Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> data) override {
    return storage_->read(offset, data);
  }
  bool readable() const override { return storage_->readable(); }
  Status lock(Extent range) override { return storage_->lock(range); }
  void unlock(Extent range) override { storage_->unlock(range); }
  void begin_service(Extent range) override { storage_->begin_service(range); }
  Status sync() override { return storage_->sync(); }
  Traits traits() const override { return storage_->traits(); }

 private:
  std::unique_ptr<Storage> storage_;
};

}  // namespace headrace::storage
