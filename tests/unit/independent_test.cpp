// Requests served by one rank alone, against bytes placed one by one.
#include "engine/independent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace headrace::engine {
namespace {

using plan::Pattern;
using Bytes = std::vector<std::byte>;
using Numbers = std::vector<std::int64_t>;

/// A file in memory that logs locks and syncs and can be made to fail.
class LoggingFile : public storage::Storage {
 public:
  Status write(std::int64_t offset, std::span<const std::byte> data) override {
    if (fails) return Status::from_errno(EIO, "write");
    log += "write ";
    const auto end = static_cast<std::size_t>(offset) + data.size();
    if (bytes.size() < end) bytes.resize(end);
    std::memcpy(&bytes[offset], data.data(), data.size());
    return {};
  }
  Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> data) override {
    if (fails) return Status::from_errno(EIO, "read");
    log += "read ";
    const auto size = static_cast<std::int64_t>(bytes.size());
    const std::int64_t count =
        std::clamp<std::int64_t>(size - offset, 0, static_cast<std::int64_t>(data.size()));
    if (count > 0) std::memcpy(data.data(), &bytes[offset], count);
    return count;
  }
  bool readable() const override { return true; }
  Status lock(Extent range) override {
    if (refuses_locks) return Status::from_errno(ENOLCK, "lock");
    log += "lock" + std::to_string(range.begin) + "-" + std::to_string(range.end) + " ";
    return {};
  }
  void unlock(Extent) override { log += "unlock "; }
  Status sync() override {
    log += "sync ";
    return {};
  }
  storage::Traits traits() const override { return {.coherent = coherent}; }

  Bytes bytes;
  std::string log;
  bool fails = false;
  bool coherent = true;
  bool refuses_locks = false;
};

Pattern pattern(const Numbers& offsets, const Numbers& lengths) {
  const plan::PlacedLayout placed = plan::blocks(offsets, lengths);
  return {placed, 0, placed.layout ? placed.layout->size() : 0};
}

/// Every byte's offset, in stream order.
Numbers flattened(const Numbers& offsets, const Numbers& lengths) {
  Numbers bytes;
  for (std::size_t i = 0; i < offsets.size(); ++i)
    for (std::int64_t b = 0; b < lengths[i]; ++b) bytes.push_back(offsets[i] + b);
  return bytes;
}

struct Lists {
  Numbers offsets;
  Numbers lengths;
};

Lists random_lists(std::mt19937& random, std::int64_t total) {
  Lists lists;
  std::int64_t end = 0;
  while (total > 0) {
    const std::int64_t length = std::min<std::int64_t>(total, 1 + random() % 40);
    end += static_cast<std::int64_t>(random() % 9);
    lists.offsets.push_back(end);
    lists.lengths.push_back(length);
    end += length;
    total -= length;
  }
  return lists;
}

Result<std::int64_t> write_independently(storage::Storage& storage, const Pattern& file,
                                         const Pattern& memory, std::byte* buffer) {
  report::Measures measures;
  IndependentIo::Packing packing;
  return IndependentIo(storage, measures, Options(), packing).write({file, memory, buffer});
}

Result<std::int64_t> read_independently(storage::Storage& storage, const Pattern& file,
                                        const Pattern& memory, std::byte* buffer) {
  report::Measures measures;
  IndependentIo::Packing packing;
  return IndependentIo(storage, measures, Options(), packing).read({file, memory, buffer});
}

TEST(Independent, random_lists_move_byte_by_byte) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const std::int64_t total = random() % 400;
    const Lists file = random_lists(random, total);
    Lists memory = random_lists(random, total);
    const Numbers places = flattened(memory.offsets, memory.lengths);
    const Numbers offsets = flattened(file.offsets, file.lengths);
    Bytes buffer(20'000);
    for (std::byte& byte : buffer) byte = static_cast<std::byte>(random());

    LoggingFile written;
    const auto sent = write_independently(written, pattern(file.offsets, file.lengths),
                                          pattern(memory.offsets, memory.lengths), buffer.data());
    ASSERT_TRUE(sent.ok() && *sent == total);
    Bytes expected(written.bytes.size());
    for (std::size_t i = 0; i < offsets.size(); ++i) expected[offsets[i]] = buffer[places[i]];
    ASSERT_EQ(written.bytes, expected) << round;

    Bytes back(buffer.size());
    const auto received = read_independently(written, pattern(file.offsets, file.lengths),
                                             pattern(memory.offsets, memory.lengths), back.data());
    ASSERT_TRUE(received.ok() && *received == total);
    for (const std::int64_t place : places) ASSERT_EQ(back[place], buffer[place]) << round;
  }
}

TEST(Independent, packing_is_cut_to_its_buffer) {
  constexpr std::int64_t total = 5'000'000;
  LoggingFile file;
  Bytes buffer(total + 8, std::byte{3});
  const Pattern memory = pattern({0, total / 2 + 8}, {total / 2, total / 2});
  ASSERT_TRUE(write_independently(file, pattern({0}, {total}), memory, buffer.data()).ok());
  EXPECT_EQ(file.bytes, Bytes(total, std::byte{3}));
  Bytes back(buffer.size());
  ASSERT_TRUE(read_independently(file, pattern({0}, {total}), memory, back.data()).ok());
  EXPECT_EQ(back[total + 7], std::byte{3});
  EXPECT_EQ(back[total / 2], std::byte{0});
}

TEST(Independent, reads_count_up_to_the_end_of_the_file) {
  LoggingFile file;
  file.bytes.assign(25, std::byte{1});
  Bytes buffer(30);
  const auto bytes = read_independently(file, pattern({0, 20, 40}, {10, 10, 10}),
                                        pattern({0}, {30}), buffer.data());
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(*bytes, 15);
  EXPECT_EQ(file.log, "read ");
}

TEST(Independent, small_pieces_are_read_together_and_large_or_distant_ones_alone) {
  constexpr std::int64_t large = 20'000;
  constexpr std::int64_t far = 3'000'000;
  const Numbers offsets{0, 300, 5'000, 40'000, 40'000 + large + 10, far};
  const Numbers lengths{100, 200, 7, large, 90, 8};
  LoggingFile file;
  file.bytes.resize(far + 100);
  std::mt19937 random(3);
  for (std::byte& byte : file.bytes) byte = static_cast<std::byte>(random());
  const Numbers bytes = flattened(offsets, lengths);
  Bytes buffer(bytes.size());
  const auto moved = read_independently(file, pattern(offsets, lengths),
                                        pattern({0}, {std::ssize(buffer)}), buffer.data());
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(*moved, std::ssize(buffer));
  for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(buffer[i], file.bytes[bytes[i]]) << i;
  EXPECT_EQ(file.log, "read read read ");
}

TEST(Independent, an_incoherent_storage_is_locked_and_flushed) {
  LoggingFile file;
  file.coherent = false;
  Bytes buffer(8);
  const Pattern two = pattern({2, 10}, {4, 4});
  ASSERT_TRUE(write_independently(file, two, pattern({0}, {8}), buffer.data()).ok());
  EXPECT_EQ(file.log, "lock2-14 write write sync unlock ");
  file.log.clear();
  ASSERT_TRUE(read_independently(file, two, pattern({0}, {8}), buffer.data()).ok());
  EXPECT_EQ(file.log, "lock2-14 read unlock ");
  file.log.clear();
  ASSERT_TRUE(write_independently(file, {}, {}, nullptr).ok());
  EXPECT_EQ(file.log, "");
}

TEST(Independent, without_its_lock_nothing_is_touched) {
  LoggingFile file;
  file.coherent = false;
  file.refuses_locks = true;
  Bytes buffer(4);
  const Pattern four = pattern({0}, {4});
  EXPECT_FALSE(write_independently(file, four, four, buffer.data()).ok());
  EXPECT_FALSE(read_independently(file, four, four, buffer.data()).ok());
  EXPECT_EQ(file.log, "");
}

TEST(Independent, a_failure_is_reported_and_the_lock_given_back) {
  LoggingFile file;
  file.coherent = false;
  file.fails = true;
  Bytes buffer(4);
  const Pattern four = pattern({0}, {4});
  EXPECT_EQ(write_independently(file, four, four, buffer.data()).status().error_class(),
            ErrorClass::io);
  EXPECT_EQ(read_independently(file, four, four, buffer.data()).status().error_class(),
            ErrorClass::io);
  EXPECT_EQ(file.log, "lock0-4 unlock lock0-4 unlock ");
}

}  // namespace
}  // namespace headrace::engine
