// How long the modelled storage takes, by a clock that does not wait.
#include "storage/model/model_storage.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "storage/memory/memory_storage.hpp"

namespace headrace::storage {
namespace {

using std::chrono::microseconds;

constexpr std::int64_t stripe = 1000;
constexpr microseconds stripe_time{100};

/// Its time goes on while it sleeps, and where a test says so.
class FakeClock final : public Clock {
 public:
  Time now() override { return now_; }
  void sleep_until(Time time) override {
    if (time > now_) now_ = time + overslept;
  }
  void pass(microseconds time) { now_ += time; }
  microseconds passed() const { return std::chrono::duration_cast<microseconds>(now_ - Time()); }

  microseconds overslept{0};

 private:
  Time now_;
};

class ModelStorageTest : public testing::Test {
 protected:
  void write(std::int64_t begin, std::int64_t end) {
    EXPECT_TRUE(storage_->write(begin, bytes_of(end - begin)).ok());
  }
  void read(std::int64_t begin, std::int64_t end) {
    EXPECT_TRUE(storage_->read(begin, bytes_of(end - begin)).ok());
  }
  std::span<std::byte> bytes_of(std::int64_t length) {
    bytes_.resize(static_cast<std::size_t>(length));
    return bytes_;
  }

  std::shared_ptr<MemoryFile> file_ = MemoryFile::create("/memory/modelled");
  FakeClock clock_;
  std::unique_ptr<Storage> storage_ =
      with_stripe_times(std::move(*open_memory(file_->path(), Access::read_write, 0)),
                        {stripe_time, stripe, 3}, clock_);
  std::vector<std::byte> bytes_;
};

TEST_F(ModelStorageTest, it_has_the_stripes_of_the_model) {
  const Traits traits = storage_->traits();
  EXPECT_EQ(traits.stripe_size, stripe);
  EXPECT_EQ(traits.stripe_count, 3);
  EXPECT_TRUE(traits.coherent);
}

TEST_F(ModelStorageTest, a_stripe_takes_its_time_whether_written_or_read) {
  write(0, stripe);
  EXPECT_EQ(clock_.passed(), stripe_time);
  storage_->begin_service({0, stripe});
  read(0, stripe);
  EXPECT_EQ(clock_.passed(), 2 * stripe_time);
}

TEST_F(ModelStorageTest, every_stripe_that_is_touched_counts) {
  write(stripe - 1, 2 * stripe + 1);
  EXPECT_EQ(clock_.passed(), 3 * stripe_time);
  read(3 * stripe, 4 * stripe);
  EXPECT_EQ(clock_.passed(), 4 * stripe_time);
}

TEST_F(ModelStorageTest, pieces_of_one_service_take_its_time_once) {
  storage_->begin_service({0, stripe});
  read(0, stripe);
  write(0, 10);
  write(500, stripe);
  EXPECT_EQ(clock_.passed(), stripe_time);
}

TEST_F(ModelStorageTest, services_may_take_turns) {
  storage_->begin_service({0, stripe});
  storage_->begin_service({3 * stripe, 4 * stripe});
  for (const std::int64_t begin : {0, 100, 200}) {
    read(begin, begin + 100);
    read(3 * stripe + begin, 3 * stripe + begin + 100);
  }
  EXPECT_EQ(clock_.passed(), 2 * stripe_time);
}

TEST_F(ModelStorageTest, another_service_of_a_stripe_takes_its_time_again) {
  for (int service = 0; service < 3; ++service) {
    storage_->begin_service({0, stripe});
    write(0, stripe);
  }
  EXPECT_EQ(clock_.passed(), 3 * stripe_time);
}

TEST_F(ModelStorageTest, moving_nothing_takes_no_time) {
  write(0, 0);
  read(5 * stripe, 5 * stripe);
  EXPECT_EQ(clock_.passed(), microseconds(0));
}

TEST_F(ModelStorageTest, sleeping_too_long_does_not_add_up) {
  clock_.overslept = microseconds(7);
  for (std::int64_t begin = 0; begin < 100 * stripe; begin += stripe) write(begin, begin + stripe);
  EXPECT_EQ(clock_.passed(), 100 * stripe_time + clock_.overslept);
}

TEST_F(ModelStorageTest, time_between_services_is_not_made_up_for) {
  write(0, stripe);
  clock_.pass(microseconds(30));
  write(stripe, 2 * stripe);
  EXPECT_EQ(clock_.passed(), 2 * stripe_time + microseconds(30));
}

TEST_F(ModelStorageTest, what_fails_takes_no_time_and_says_why) {
  file_->fail(MemoryCall::write, 1, EDQUOT);
  file_->fail(MemoryCall::read, 1, EIO);
  EXPECT_EQ(storage_->write(0, bytes_of(stripe)).error_class(), ErrorClass::quota);
  EXPECT_EQ(storage_->read(0, bytes_of(stripe)).status().error_class(), ErrorClass::io);
  EXPECT_EQ(clock_.passed(), microseconds(0));
  write(0, stripe);
  EXPECT_EQ(clock_.passed(), stripe_time);
}

}  // namespace
}  // namespace headrace::storage
