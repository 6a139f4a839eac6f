// What every storage promises, shown over all of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "storage/memory/memory_storage.hpp"
#include "storage/model/model_storage.hpp"
#include "storage/posix/posix_storage.hpp"

namespace headrace::storage {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

std::vector<std::byte> sample(std::size_t length, unsigned seed = 1) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>(i * 7 + seed);
  return bytes;
}

/// An empty file of one implementation, gone with the object.
class TestFile {
 public:
  virtual ~TestFile() = default;
  virtual std::string path() const = 0;
  virtual std::uint64_t inode() const = 0;
  virtual Opener opener() const = 0;
};

class PosixTestFile : public TestFile {
 public:
  explicit PosixTestFile(const std::string& folder) : path_(folder + "/headrace-XXXXXX") {
    const int fd = ::mkstemp(path_.data());
    EXPECT_GE(fd, 0) << path_;
    ::close(fd);
  }
  ~PosixTestFile() override { ::unlink(path_.c_str()); }
  std::string path() const override { return path_; }
  std::uint64_t inode() const override {
    struct stat file {};
    EXPECT_EQ(::stat(path_.c_str(), &file), 0);
    return file.st_ino;
  }
  Opener opener() const override { return open_posix; }

 private:
  std::string path_;
};

class MemoryTestFile : public TestFile {
 public:
  std::string path() const override { return file_->path(); }
  std::uint64_t inode() const override { return file_->inode(); }
  Opener opener() const override { return open_memory; }

 private:
  std::shared_ptr<MemoryFile> file_ = MemoryFile::create("/memory/file");
};

/// Takes no time.
class ModelTestFile : public MemoryTestFile {
 public:
  Opener opener() const override {
    return [](const std::string& path, Access access, std::uint64_t inode) {
      auto opened = open_memory(path, access, inode);
      if (opened.ok()) opened = with_stripe_times(std::move(*opened), {});
      return opened;
    };
  }
};

struct Implementation {
  std::string name;
  std::unique_ptr<TestFile> (*make)();
};
void PrintTo(const Implementation& implementation, std::ostream* out) {
  *out << implementation.name;
}
const Implementation implementations[] = {
    {"memory", [] { return std::unique_ptr<TestFile>(new MemoryTestFile); }},
    {"model", [] { return std::unique_ptr<TestFile>(new ModelTestFile); }},
    {"posix_temporary_folder",
     [] { return std::unique_ptr<TestFile>(new PosixTestFile(testing::TempDir())); }},
    {"posix_tmpfs", [] { return std::unique_ptr<TestFile>(new PosixTestFile("/dev/shm")); }},
};

class StorageContract : public testing::TestWithParam<Implementation> {
 protected:
  std::unique_ptr<Storage> open(Access access = Access::read_write) {
    auto opened = file_->opener()(file_->path(), access, file_->inode());
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(*opened);
  }

  /// Reads `length` bytes, and cuts the answer to those that were there.
  std::vector<std::byte> read(Storage& storage, std::int64_t offset, std::size_t length) {
    std::vector<std::byte> bytes(length);
    const Result<std::int64_t> got = storage.read(offset, bytes);
    EXPECT_TRUE(got.ok()) << got.status().message();
    bytes.resize(static_cast<std::size_t>(*got));
    return bytes;
  }

  std::unique_ptr<TestFile> file_ = GetParam().make();
};
INSTANTIATE_TEST_SUITE_P(All, StorageContract, testing::ValuesIn(implementations),
                         [](const auto& info) { return info.param.name; });

TEST_P(StorageContract, what_was_written_is_read_by_every_opener) {
  const auto writer = open();
  const auto reader = open(Access::read_only);
  const auto data = sample(100'000);
  ASSERT_TRUE(writer->write(3, data).ok());
  EXPECT_EQ(read(*reader, 3, data.size()), data);
}

TEST_P(StorageContract, writing_changes_no_other_byte) {
  const auto storage = open();
  auto expected = sample(20'000);
  ASSERT_TRUE(storage->write(0, expected).ok());
  const auto data = sample(9'000, 99);
  ASSERT_TRUE(storage->write(4'000, data).ok());
  std::copy(data.begin(), data.end(), expected.begin() + 4'000);
  EXPECT_EQ(read(*storage, 0, 30'000), expected);
}

TEST_P(StorageContract, holes_read_as_zeros) {
  const auto storage = open();
  ASSERT_TRUE(storage->write(10'000, sample(1)).ok());
  EXPECT_EQ(read(*storage, 0, 10'000), std::vector<std::byte>(10'000));
}

TEST_P(StorageContract, reads_end_where_the_file_ends) {
  const auto storage = open();
  const auto data = sample(100);
  ASSERT_TRUE(storage->write(0, data).ok());
  EXPECT_EQ(read(*storage, 60, 100).size(), 40u);
  EXPECT_EQ(read(*storage, 100, 10).size(), 0u);
  EXPECT_EQ(read(*storage, 1'000'000, 10).size(), 0u);
  EXPECT_EQ(read(*storage, 0, 0).size(), 0u);
}

TEST_P(StorageContract, a_short_read_leaves_the_rest_of_the_buffer_alone) {
  const auto storage = open();
  ASSERT_TRUE(storage->write(0, sample(100)).ok());
  std::vector<std::byte> buffer(200, std::byte{0x5a});
  EXPECT_EQ(*storage->read(0, buffer), 100);
  EXPECT_EQ(std::vector(buffer.begin() + 100, buffer.end()),
            std::vector<std::byte>(100, std::byte{0x5a}));
}

TEST_P(StorageContract, writing_nothing_does_not_make_the_file_longer) {
  const auto storage = open();
  ASSERT_TRUE(storage->write(500, {}).ok());
  EXPECT_EQ(read(*storage, 0, 10).size(), 0u);
}

TEST_P(StorageContract, offsets_have_64_bits) {
  const auto storage = open();
  const std::int64_t far = (std::int64_t{5} << 30) + 17;
  const auto data = sample(5'000);
  ASSERT_TRUE(storage->write(far, data).ok());
  EXPECT_EQ(read(*storage, far, 6'000), data);
  EXPECT_EQ(read(*storage, far - 100, 100), std::vector<std::byte>(100));
}

TEST_P(StorageContract, threads_write_disjoint_bytes_through_their_own_storages) {
  constexpr int writers = 4;
  constexpr std::size_t piece = 1'001;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&, writer, storage = std::shared_ptr<Storage>(open())] {
      for (int i = writer; i < 100; i += writers) {
        EXPECT_TRUE(storage->write(i * static_cast<std::int64_t>(piece), sample(piece, i)).ok());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto storage = open();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(read(*storage, i * static_cast<std::int64_t>(piece), piece), sample(piece, i));
  }
}

/// Whether `storage` has to wait for a lock on `range` until `release` is called.
bool waits_for_lock(Storage& storage, Extent range, const std::function<void()>& release) {
  std::atomic<bool> locked{false};
  std::thread thread([&] {
    EXPECT_TRUE(storage.lock(range).ok());
    locked = true;
    storage.unlock(range);
  });
  std::this_thread::sleep_for(milliseconds(50));
  const bool waited = !locked;
  release();
  thread.join();
  return waited;
}

TEST_P(StorageContract, a_lock_excludes_other_openers_until_it_is_released) {
  const auto holder = open();
  const auto other = open();
  const Extent range{100, 200};
  ASSERT_TRUE(holder->lock(range).ok());
  EXPECT_TRUE(waits_for_lock(*other, {199, 300}, [&] { holder->unlock(range); }));
}

TEST_P(StorageContract, a_lock_ends_with_its_storage) {
  auto holder = open();
  const auto other = open();
  ASSERT_TRUE(holder->lock({0, 10}).ok());
  EXPECT_TRUE(waits_for_lock(*other, {0, 10}, [&] { holder.reset(); }));
}

TEST_P(StorageContract, locks_on_other_bytes_or_on_none_do_not_exclude) {
  const auto holder = open();
  const auto other = open();
  ASSERT_TRUE(holder->lock({100, 200}).ok());
  ASSERT_TRUE(other->lock({200, 300}).ok());
  ASSERT_TRUE(other->lock({150, 150}).ok());
  other->unlock({150, 150});
  other->unlock({200, 300});
  holder->unlock({100, 200});
}

TEST_P(StorageContract, readers_lock_writers_out_but_not_each_other) {
  const auto reader = open(Access::read_only);
  const auto other_reader = open(Access::read_only);
  const auto writer = open();
  ASSERT_TRUE(reader->lock({0, 10}).ok());
  ASSERT_TRUE(other_reader->lock({0, 10}).ok());
  other_reader->unlock({0, 10});
  EXPECT_TRUE(waits_for_lock(*writer, {0, 10}, [&] { reader->unlock({0, 10}); }));
}

TEST_P(StorageContract, sync_succeeds_after_writing) {
  const auto storage = open();
  ASSERT_TRUE(storage->write(0, sample(10)).ok());
  EXPECT_TRUE(storage->sync().ok());
}

TEST_P(StorageContract, writing_a_file_opened_for_reading_fails_and_says_where) {
  const auto storage = open(Access::read_only);
  const Status status = storage->write(4096, sample(10));
  EXPECT_EQ(status.error_class(), ErrorClass::io);
  EXPECT_THAT(status.message(), HasSubstr("write of 10 bytes at offset 4096"));
  EXPECT_THAT(status.message(), HasSubstr(file_->path()));
  EXPECT_EQ(read(*storage, 0, 10).size(), 0u);
}

TEST_P(StorageContract, a_file_opened_for_writing_is_read_where_permissions_allow) {
  const auto storage = open(Access::write_only);
  ASSERT_TRUE(storage->readable());
  ASSERT_TRUE(storage->write(0, sample(10)).ok());
  EXPECT_EQ(read(*storage, 0, 10), sample(10));
}

TEST_P(StorageContract, a_missing_file_is_not_made) {
  const std::string path = file_->path() + "-missing";
  for (const Access access : {Access::read_only, Access::write_only, Access::read_write}) {
    const Status status = file_->opener()(path, access, 0).status();
    EXPECT_EQ(status.error_class(), ErrorClass::no_such_file);
    EXPECT_THAT(status.message(), HasSubstr(path));
  }
}

TEST_P(StorageContract, a_path_that_names_another_file_by_now_is_refused) {
  EXPECT_TRUE(file_->opener()(file_->path(), Access::read_write, 0).ok());
  const Status status =
      file_->opener()(file_->path(), Access::read_write, file_->inode() + 1).status();
  EXPECT_EQ(status.error_class(), ErrorClass::bad_file);
  EXPECT_THAT(status.message(), HasSubstr("another file"));
}

TEST_P(StorageContract, a_file_has_the_blocks_that_the_system_says) {
  struct stat file {};
  const bool is_real = ::stat(file_->path().c_str(), &file) == 0;
  EXPECT_EQ(open()->traits().block_size, is_real ? file.st_blksize : 0);
}

TEST_P(StorageContract, a_local_file_is_coherent_and_has_stripes_only_if_modelled) {
  const Traits traits = open()->traits();
  EXPECT_TRUE(traits.coherent);
  const bool modelled = GetParam().name == "model";
  EXPECT_EQ(traits.stripe_size, modelled ? StripeModel().size : 0);
  EXPECT_EQ(traits.stripe_count, modelled ? StripeModel().count : 0);
}

}  // namespace
}  // namespace headrace::storage
