// What only a storage over descriptors can show: devices, permissions, interrupted and short calls,
// Lustre's stripes.
#include "storage/posix/posix_storage.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

#include "storage/posix/file_system.hpp"

namespace headrace::storage {
namespace {

using testing::HasSubstr;

std::vector<std::byte> sample(std::size_t length) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>(i * 13 + 5);
  return bytes;
}

class PosixStorageTest : public testing::Test {
 protected:
  void SetUp() override {
    const int fd = ::mkstemp(path_.data());
    ASSERT_GE(fd, 0);
    ::close(fd);
  }
  void TearDown() override { ::unlink(path_.c_str()); }

  std::unique_ptr<Storage> open(const std::string& path, Access access = Access::read_write,
                                const PosixCalls& calls = real_posix_calls) {
    auto opened = open_posix_with(calls, path, access, 0);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(*opened);
  }

  std::string path_ = testing::TempDir() + "/headrace-XXXXXX";
};

TEST_F(PosixStorageTest, a_full_device_is_no_space) {
  const auto storage = open("/dev/full");
  const Status status = storage->write(512, sample(100));
  EXPECT_EQ(status.error_class(), ErrorClass::no_space);
  EXPECT_THAT(status.message(), HasSubstr("write of 100 bytes at offset 512 of '/dev/full'"));
}

TEST_F(PosixStorageTest, the_null_device_swallows_writes_and_is_at_its_end) {
  const auto storage = open("/dev/null");
  EXPECT_TRUE(storage->write(0, sample(100)).ok());
  std::array<std::byte, 10> bytes;
  EXPECT_EQ(*storage->read(0, bytes), 0);
  EXPECT_TRUE(storage->sync().ok());
  ASSERT_TRUE(storage->lock({0, 10}).ok());
  storage->unlock({0, 10});
}

TEST_F(PosixStorageTest, the_inode_of_a_device_is_not_compared) {
  EXPECT_TRUE(open_posix("/dev/null", Access::read_write, 123'456'789).ok());
}

TEST_F(PosixStorageTest, a_directory_is_a_bad_file) {
  for (const Access access : {Access::read_only, Access::write_only, Access::read_write}) {
    EXPECT_EQ(open_posix(testing::TempDir(), access, 0).status().error_class(),
              ErrorClass::bad_file);
  }
}

/// The descriptors of this process that are open on `path`.
std::vector<int> descriptors_of(const std::string& path) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::equivalent(entry.path(), path, gone)) {
      found.push_back(std::stoi(entry.path().filename()));
    }
  }
  return found;
}

TEST_F(PosixStorageTest, the_descriptor_is_not_passed_on_and_is_closed) {
  auto storage = open(path_);
  const std::vector<int> descriptors = descriptors_of(path_);
  ASSERT_EQ(descriptors.size(), 1u);
  EXPECT_NE(::fcntl(descriptors[0], F_GETFD) & FD_CLOEXEC, 0);
  storage.reset();
  EXPECT_TRUE(descriptors_of(path_).empty());
}

/// Permissions do not bind root: these tests become another user, in a child process.
class PosixPermissions : public PosixStorageTest {
 protected:
  /// The exit code of `child`, run as a user who owns nothing.
  template <class Child>
  int as_nobody(Child child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const uid_t nobody = 65534;
      if (::geteuid() == 0 && ::setuid(nobody) != 0) ::_exit(100);
      ::_exit(child());
    }
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
  }
};

TEST_F(PosixPermissions, a_forbidden_file_is_an_access_error) {
  ASSERT_EQ(::chmod(path_.c_str(), 0), 0);
  EXPECT_EQ(as_nobody([this] {
              const Status status = open_posix(path_, Access::read_write, 0).status();
              return status.error_class() == ErrorClass::access ? 0 : 1;
            }),
            0);
}

TEST_F(PosixPermissions, a_file_that_may_only_be_written_is_opened_and_not_readable) {
  ASSERT_EQ(::chmod(path_.c_str(), 0222), 0);
  EXPECT_EQ(as_nobody([this] {
              auto opened = open_posix(path_, Access::write_only, 0);
              if (!opened.ok() || (*opened)->readable()) return 1;
              if (!(*opened)->write(0, sample(10)).ok()) return 2;
              std::array<std::byte, 10> bytes;
              if ((*opened)->read(0, bytes).status().error_class() != ErrorClass::io) return 3;
              return (*opened)->lock({0, 10}).ok() ? 0 : 4;
            }),
            0);
}

/// System calls that a test wants: every second one is interrupted, the others move few bytes.
constexpr std::size_t few_bytes = 7;
int calls_made = 0;

bool interrupted() {
  if (++calls_made % 2 == 0) return false;
  errno = EINTR;
  return true;
}

const PosixCalls troubled_calls{
    [](int fd, const void* data, size_t size, off_t offset) -> ssize_t {
      return interrupted() ? -1 : ::pwrite(fd, data, std::min(size, few_bytes), offset);
    },
    [](int fd, void* data, size_t size, off_t offset) -> ssize_t {
      return interrupted() ? -1 : ::pread(fd, data, std::min(size, few_bytes), offset);
    },
    [](int fd) { return interrupted() ? -1 : ::fsync(fd); }};

TEST_F(PosixStorageTest, interrupted_and_short_calls_are_continued) {
  calls_made = 0;
  const auto storage = open(path_, Access::read_write, troubled_calls);
  const auto data = sample(100);
  ASSERT_TRUE(storage->write(11, data).ok());
  EXPECT_EQ(calls_made, 2 * 15);
  std::vector<std::byte> bytes(150);
  EXPECT_EQ(*storage->read(11, bytes), 100);
  bytes.resize(100);
  EXPECT_EQ(bytes, data);
  EXPECT_TRUE(storage->sync().ok());
}

TEST_F(PosixStorageTest, a_write_that_moves_nothing_is_an_error_and_no_endless_loop) {
  PosixCalls calls = real_posix_calls;
  calls.pwrite = [](int, const void*, size_t, off_t) -> ssize_t { return 0; };
  const auto storage = open(path_, Access::read_write, calls);
  EXPECT_EQ(storage->write(0, sample(10)).error_class(), ErrorClass::io);
}

TEST_F(PosixStorageTest, a_failure_after_a_short_write_says_how_far_it_came) {
  PosixCalls calls = real_posix_calls;
  calls.pwrite = [](int fd, const void* data, size_t size, off_t offset) -> ssize_t {
    if (offset == 0) return ::pwrite(fd, data, std::min(size, few_bytes), offset);
    errno = EDQUOT;
    return -1;
  };
  const Status status = open(path_, Access::read_write, calls)->write(0, sample(10));
  EXPECT_EQ(status.error_class(), ErrorClass::quota);
  EXPECT_THAT(status.message(), HasSubstr("after 7 bytes"));
}

TEST_F(PosixStorageTest, failed_reads_and_syncs_are_reported) {
  PosixCalls calls = real_posix_calls;
  calls.pread = [](int, void*, size_t, off_t) -> ssize_t { return errno = EIO, -1; };
  calls.fsync = [](int) { return errno = EDQUOT, -1; };
  const auto storage = open(path_, Access::read_write, calls);
  std::array<std::byte, 10> bytes;
  const Status read = storage->read(30, bytes).status();
  EXPECT_EQ(read.error_class(), ErrorClass::io);
  EXPECT_THAT(read.message(), HasSubstr("read of 10 bytes at offset 30"));
  const Status sync = storage->sync();
  EXPECT_EQ(sync.error_class(), ErrorClass::quota);
  EXPECT_THAT(sync.message(), HasSubstr("sync of '" + path_));
}

std::size_t largest_asked = 0;

TEST_F(PosixStorageTest, no_single_call_moves_two_gibibytes) {
  PosixCalls calls = real_posix_calls;
  calls.pwrite = [](int, const void*, size_t size, off_t) -> ssize_t {
    largest_asked = std::max(largest_asked, size);
    return static_cast<ssize_t>(size);
  };
  const auto storage = open(path_, Access::read_write, calls);
  // Never touched, because the call above reads nothing: a span needs no memory behind it here.
  static std::byte first{};
  largest_asked = 0;
  EXPECT_TRUE(storage->write(0, std::span<const std::byte>(&first, std::size_t{5} << 30)).ok());
  EXPECT_LT(largest_asked, std::size_t{1} << 31);
}

/// The kernel itself makes a short write, then EFBIG, at the process's limit on file sizes.
TEST_F(PosixStorageTest, the_limit_on_file_sizes_is_no_space_after_what_fits) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto storage = open(path_);
  const Status status = storage->write(900, sample(200));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(status.error_class(), ErrorClass::no_space);
  EXPECT_THAT(status.message(), HasSubstr("after 100 bytes"));
}

TEST(FileSystem, clients_of_network_file_systems_without_coherence_are_told_apart) {
  for (const std::uint32_t type : {0x6969u, 0x517Bu, 0xFF534D42u, 0xFE534D42u}) {
    EXPECT_FALSE(is_coherent(type)) << std::hex << type;
  }
  // ext4, tmpfs, overlayfs, Lustre
  for (const std::uint32_t type : {0xEF53u, 0x01021994u, 0x794C7630u, 0x0BD00BD0u}) {
    EXPECT_TRUE(is_coherent(type)) << std::hex << type;
  }
}

/// The first 32 bytes of lov_user_md, field by field, as lustre_user.h lays them out.
std::vector<std::byte> lov(std::uint32_t magic, std::uint32_t stripe_size,
                           std::uint16_t stripe_count) {
  std::vector<std::byte> bytes(56);
  std::memcpy(&bytes[0], &magic, 4);
  std::memcpy(&bytes[24], &stripe_size, 4);
  std::memcpy(&bytes[28], &stripe_count, 2);
  return bytes;
}

TEST(LustreStripes, come_from_both_versions_of_the_attribute) {
  for (const std::uint32_t magic : {0x0BD10BD0u, 0x0BD30BD0u}) {
    const Stripes stripes = stripes_of_lov(lov(magic, 1 << 20, 56));
    EXPECT_EQ(stripes.size, 1 << 20);
    EXPECT_EQ(stripes.count, 56);
  }
}

TEST(LustreStripes, are_zero_where_the_attribute_says_nothing_of_use) {
  const auto good = lov(0x0BD10BD0, 1 << 20, 4);
  EXPECT_EQ(stripes_of_lov({}).count, 0);
  EXPECT_EQ(stripes_of_lov(std::span(good).first(31)).count, 0);
  EXPECT_EQ(stripes_of_lov(lov(0x0BD60BD0, 1 << 20, 4)).count, 0) << "composite";
  EXPECT_EQ(stripes_of_lov(lov(0x0BD10BD0, 1 << 20, 0xFFFF)).size, 0) << "all targets";
  EXPECT_EQ(stripes_of_lov(lov(0x0BD10BD0, 0, 4)).count, 0);
}

}  // namespace
}  // namespace headrace::storage
