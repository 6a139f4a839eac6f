// headrace_early_return: who comes back when, what is told to whom, and that calls in a row do not
// get in each other's way.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "base/log.hpp"
#include "engine/collective_file.hpp"
#include "storage/forwarding_storage.hpp"
#include "storage/memory/memory_storage.hpp"
#include "support/interleaved_call.hpp"
#include "support/thread_team.hpp"

namespace headrace::engine {
namespace {

constexpr int ranks = 6;

/// A gate in front of the file: while it is closed, no write goes on.
class Gate {
 public:
  void close() { is_open_ = false; }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = true;
};

Gate gate;

class GatedStorage final : public storage::ForwardingStorage {
 public:
  using ForwardingStorage::ForwardingStorage;
  Status write(std::int64_t offset, std::span<const std::byte> data) override {
    gate.pass();
    return ForwardingStorage::write(offset, data);
  }
};

Result<std::unique_ptr<storage::Storage>> open_gated(const std::string& path,
                                                     storage::Access access, std::uint64_t inode) {
  auto file = storage::open_memory(path, access, inode);
  if (!file.ok()) return file.status();
  return std::unique_ptr<storage::Storage>(std::make_unique<GatedStorage>(std::move(*file)));
}

struct Shape {
  Method method;
  int per_node;
};

class EarlyReturn : public testing::TestWithParam<Shape> {
 protected:
  EarlyReturn() {
    options_.method = GetParam().method;
    options_.cb_buffer_size = 512;
    options_.cb_nodes = 2;
    options_.early_return = true;
  }

  void on_all(const std::function<void(Team&, CollectiveFile&)>& body) {
    teams_.run([&](Team& team) {
      CollectiveFile file(team, open_gated, "/early", storage::Access::read_write,
                          FileFacts{.options = options_});
      body(team, file);
    });
  }

  static Call call_of(const Team& team, std::vector<std::byte>& buffer) {
    return test::interleaved_call({ranks, 16, 40, 0}, team.rank, buffer);
  }

  test::ThreadTeams teams_{ranks, GetParam().per_node};
  std::shared_ptr<storage::MemoryFile> file_ = storage::MemoryFile::create("/early");
  Options options_;
};

/// With one window of each of the two aggregators to write, all ranks that are neither an
/// aggregator nor the first of a node are back before anything is written. Alone on its node, each
/// rank is the first.
TEST_P(EarlyReturn, lets_ranks_go_before_their_data_are_written) {
  options_.cb_buffer_size = 1 << 20;
  const bool some_leave = GetParam().per_node > 1;
  if (some_leave) gate.close();
  std::atomic<int> back = 0;
  on_all([&](Team& team, CollectiveFile& file) {
    std::vector<std::byte> buffer;
    const Outcome outcome = file.write_all(call_of(team, buffer));
    EXPECT_TRUE(outcome.status.ok());
    EXPECT_EQ(outcome.bytes, std::ssize(buffer));
    std::ranges::fill(buffer, std::byte{0xEE});  // it is the program's again
    if (some_leave && team.rank % 3 != 0) {
      EXPECT_TRUE(file_->bytes().empty());
      if (++back == ranks - 2) gate.open();
    }
    file.wait_for_others();
    EXPECT_EQ(file_->size(), std::int64_t{ranks} * 16 * 40);
  });
  const auto bytes = file_->bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    ASSERT_EQ(bytes[i], static_cast<std::byte>(i / 16 % ranks + 1)) << i;
}

TEST_P(EarlyReturn, lets_calls_follow_each_other) {
  on_all([&](Team& team, CollectiveFile& file) {
    for (int i = 0; i < 20; ++i) {
      std::vector<std::byte> written;
      EXPECT_TRUE(file.write_all(call_of(team, written)).status.ok());
      std::vector<std::byte> read;
      const Call call = call_of(team, read);
      std::ranges::fill(read, std::byte{0});
      EXPECT_EQ(file.read_all(call).bytes, std::ssize(read));
      EXPECT_EQ(read, written);
      if (i % 3 == 0) file.total_counters();
    }
  });
}

/// Told once, to all, by the call that comes next, which moves nothing.
TEST_P(EarlyReturn, a_write_that_failed_is_told_by_the_next_call_on_every_rank) {
  LogCapture log;
  file_->fail(storage::MemoryCall::write, 1, ENOSPC);
  on_all([&](Team& team, CollectiveFile& file) {
    std::vector<std::byte> buffer;
    const Call call = call_of(team, buffer);
    EXPECT_TRUE(file.write_all(call).status.ok()) << "its data were taken";
    const Outcome next = file.read_all(call);
    EXPECT_EQ(next.host, Veto::none);
    EXPECT_EQ(next.status.error_class(), ErrorClass::no_space);
    EXPECT_FALSE(next.status.message().empty());
    EXPECT_EQ(next.bytes, 0);
    EXPECT_EQ(buffer, std::vector<std::byte>(buffer.size(), std::byte(team.rank + 1)));
    EXPECT_TRUE(file.write_all(call).status.ok());
    EXPECT_TRUE(file.settle().ok());
  });
  EXPECT_EQ(file_->size(), std::int64_t{ranks} * 16 * 40) << "the file is usable afterwards";
  EXPECT_EQ(log.messages().size(), 1U) << "said once, by the rank that saw it";
}

TEST_P(EarlyReturn, settle_tells_once_and_waiting_tells_nothing) {
  LogCapture log;
  file_->fail(storage::MemoryCall::write, 1, EIO);
  on_all([&](Team& team, CollectiveFile& file) {
    std::vector<std::byte> buffer;
    EXPECT_TRUE(file.write_all(call_of(team, buffer)).status.ok());
    file.wait_for_others();
    EXPECT_EQ(file.settle().error_class(), ErrorClass::io);
    EXPECT_TRUE(file.settle().ok());
  });
}

/// Nobody is told that it has data which could not be read.
TEST_P(EarlyReturn, a_read_that_failed_is_told_at_once_to_those_who_wanted_it) {
  LogCapture log;
  file_->put(0, std::vector<std::byte>(std::size_t{ranks} * 16 * 40, std::byte{7}));
  file_->fail(storage::MemoryCall::read, 1, EIO);
  std::atomic<int> told = 0;
  on_all([&](Team& team, CollectiveFile& file) {
    std::vector<std::byte> buffer;
    const Outcome outcome = file.read_all(call_of(team, buffer));
    if (outcome.status.ok()) {
      EXPECT_EQ(buffer, std::vector<std::byte>(buffer.size(), std::byte{7}));
    }
    told += !outcome.status.ok();
    EXPECT_EQ(file.settle().error_class(), ErrorClass::io);
  });
  EXPECT_GT(told, 0);
}

/// A veto too: the error comes first, and the host is asked by the call after.
TEST_P(EarlyReturn, a_write_that_failed_is_told_before_a_call_is_left_to_the_host) {
  LogCapture log;
  file_->fail(storage::MemoryCall::write, 1, EIO);
  on_all([&](Team& team, CollectiveFile& file) {
    std::vector<std::byte> buffer;
    Call call = call_of(team, buffer);
    EXPECT_TRUE(file.write_all(call).status.ok());
    call.veto = Veto::atomic_mode;
    const Outcome next = file.write_all(call);
    EXPECT_EQ(next.host, Veto::none);
    EXPECT_EQ(next.status.error_class(), ErrorClass::io);
    EXPECT_EQ(file.write_all(call).host, Veto::atomic_mode);
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, EarlyReturn,
                         testing::Values(Shape{Method::two_phase, 1}, Shape{Method::two_phase, 3},
                                         Shape{Method::two_phase, 6}, Shape{Method::tam, 3},
                                         Shape{Method::tam, 6}),
                         [](const auto& info) {
                           const Shape& shape = info.param;
                           return std::string(shape.method == Method::tam ? "tam" : "two_phase") +
                                  "_" + std::to_string(shape.per_node) + "_a_node";
                         });

}  // namespace
}  // namespace headrace::engine
