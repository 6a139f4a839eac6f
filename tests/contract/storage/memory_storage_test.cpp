// The faults that only a file in memory can have at will.
#include "storage/memory/memory_storage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headrace::storage {
namespace {

using testing::HasSubstr;

class MemoryStorageTest : public testing::Test {
 protected:
  std::unique_ptr<Storage> open(Access access = Access::read_write) {
    auto opened = open_memory(file_->path(), access, 0);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(*opened);
  }

  const std::shared_ptr<MemoryFile> file_ = MemoryFile::create("/memory/faulty");
  const std::vector<std::byte> data_ = std::vector<std::byte>(100, std::byte{7});
};

TEST_F(MemoryStorageTest, the_chosen_write_fails_whichever_storage_makes_it) {
  const auto one = open();
  const auto other = open();
  file_->fail(MemoryCall::write, 2, EIO);
  EXPECT_TRUE(one->write(0, data_).ok());
  const Status status = other->write(200, data_);
  EXPECT_EQ(status.error_class(), ErrorClass::io);
  EXPECT_THAT(status.message(), HasSubstr("write of 100 bytes at offset 200 of '/memory/faulty'"));
  EXPECT_TRUE(one->write(200, data_).ok());
  EXPECT_EQ(file_->calls(MemoryCall::write), 3);
}

TEST_F(MemoryStorageTest, a_failed_write_leaves_half_of_its_data) {
  file_->fail(MemoryCall::write, 1, EDQUOT);
  EXPECT_EQ(open()->write(0, data_).error_class(), ErrorClass::quota);
  EXPECT_EQ(file_->bytes(), std::vector<std::byte>(50, std::byte{7}));
}

TEST_F(MemoryStorageTest, a_full_device_takes_what_fits) {
  file_->set_capacity(130);
  const auto storage = open();
  EXPECT_TRUE(storage->write(0, data_).ok());
  EXPECT_EQ(storage->write(100, data_).error_class(), ErrorClass::no_space);
  EXPECT_EQ(storage->write(500, data_).error_class(), ErrorClass::no_space);
  EXPECT_EQ(file_->bytes(), std::vector<std::byte>(130, std::byte{7}));
  EXPECT_TRUE(storage->write(30, data_).ok()) << "what has room can still be overwritten";
}

TEST_F(MemoryStorageTest, a_failed_read_leaves_junk) {
  const auto storage = open();
  ASSERT_TRUE(storage->write(0, data_).ok());
  file_->fail(MemoryCall::read, 1, EIO);
  std::vector<std::byte> bytes(100);
  EXPECT_EQ(storage->read(0, bytes).status().error_class(), ErrorClass::io);
  EXPECT_NE(bytes, data_);
  EXPECT_NE(bytes, std::vector<std::byte>(100));
}

TEST_F(MemoryStorageTest, locks_and_syncs_fail_on_demand) {
  file_->fail(MemoryCall::lock, 1, ENOLCK);
  file_->fail(MemoryCall::sync, 1, EIO);
  const auto storage = open();
  EXPECT_EQ(storage->lock({0, 10}).error_class(), ErrorClass::io);
  EXPECT_EQ(storage->sync().error_class(), ErrorClass::io);
  EXPECT_TRUE(open()->lock({0, 10}).ok()) << "a lock that failed is not held";
}

TEST_F(MemoryStorageTest, a_file_that_cannot_be_read_is_opened_for_writing_only) {
  file_->set_readable(false);
  EXPECT_EQ(open_memory(file_->path(), Access::read_write, 0).status().error_class(),
            ErrorClass::access);
  const auto storage = open(Access::write_only);
  EXPECT_FALSE(storage->readable());
  std::vector<std::byte> bytes(10);
  EXPECT_EQ(storage->read(0, bytes).status().error_class(), ErrorClass::io);
}

TEST_F(MemoryStorageTest, traits_are_as_set) {
  file_->set_traits({1 << 20, 8, false});
  const Traits traits = open()->traits();
  EXPECT_EQ(traits.stripe_size, 1 << 20);
  EXPECT_EQ(traits.stripe_count, 8);
  EXPECT_FALSE(traits.coherent);
}

TEST_F(MemoryStorageTest, a_file_goes_with_its_last_holder) {
  { const auto file = MemoryFile::create("/memory/brief"); }
  EXPECT_EQ(MemoryFile::find("/memory/brief"), nullptr);
  EXPECT_EQ(open_memory("/memory/brief", Access::read_only, 0).status().error_class(),
            ErrorClass::no_such_file);
}

}  // namespace
}  // namespace headrace::storage
