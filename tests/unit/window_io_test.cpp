// Which blocks of a window are read, and that none is read twice; windows of several pieces against
// a file that is written and read byte by byte.
#include "engine/window_io.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "storage/memory/memory_storage.hpp"

namespace headrace::engine {
namespace {

constexpr std::int64_t block = 4096;
constexpr std::int64_t no_gap = 0;

plan::RunEncoder requests_of(Extent window, std::initializer_list<Extent> extents) {
  plan::RunEncoder encoder;
  for (const Extent extent : extents)
    encoder.add({extent.begin - window.begin, extent.length(), 0, 1});
  encoder.finish();
  return encoder;
}

TEST(BlocksRead, whole_blocks_of_the_window_are_read) {
  const Extent window{1000, 1000 + 10 * block};
  BlocksRead read(window);
  EXPECT_EQ(read.still_to_read(requests_of(window, {{1001, 1002}}), no_gap),
            (std::vector<Extent>{{1000, 1000 + block}}));
  EXPECT_EQ(read.still_to_read(requests_of(window, {{1000 + 2 * block, 1001 + 3 * block}}), no_gap),
            (std::vector<Extent>{{1000 + 2 * block, 1000 + 4 * block}}));
}

TEST(BlocksRead, last_block_ends_with_the_window) {
  const Extent window{0, 2 * block + 10};
  BlocksRead read(window);
  EXPECT_EQ(read.still_to_read(requests_of(window, {{2 * block, 2 * block + 10}}), no_gap),
            (std::vector<Extent>{{2 * block, 2 * block + 10}}));
}

TEST(BlocksRead, no_block_is_read_twice) {
  const Extent window{0, 10 * block};
  BlocksRead read(window);
  const auto middle = requests_of(window, {{3 * block, 5 * block}});
  EXPECT_EQ(read.still_to_read(middle, no_gap), (std::vector<Extent>{{3 * block, 5 * block}}));
  EXPECT_TRUE(read.still_to_read(middle, no_gap).empty());
  EXPECT_EQ(read.still_to_read(requests_of(window, {{0, 10 * block}}), no_gap),
            (std::vector<Extent>{{0, 3 * block}, {5 * block, 10 * block}}));
}

TEST(BlocksRead, small_holes_are_read_along_and_large_ones_are_not) {
  const Extent window{0, 20 * block};
  const auto requests =
      requests_of(window, {{0, 1}, {3 * block, 3 * block + 1}, {9 * block, 9 * block + 1}});
  EXPECT_EQ(BlocksRead(window).still_to_read(requests, 2 * block),
            (std::vector<Extent>{{0, 4 * block}, {9 * block, 10 * block}}));
  EXPECT_EQ(BlocksRead(window).still_to_read(requests, window.length()),
            (std::vector<Extent>{{0, 10 * block}}));
  EXPECT_EQ(BlocksRead(window).still_to_read(requests, no_gap),
            (std::vector<Extent>{{0, block}, {3 * block, 4 * block}, {9 * block, 10 * block}}));
}

TEST(BlocksRead, requests_in_one_block_are_one_read) {
  const Extent window{0, block};
  const auto requests = requests_of(window, {{0, 1}, {100, 101}, {4000, 4096}});
  EXPECT_EQ(BlocksRead(window).still_to_read(requests, no_gap), (std::vector<Extent>{{0, block}}));
}

/// Requests in a window of several pieces of a file in memory.
class Pieces {
 public:
  explicit Pieces(unsigned seed) : random_(seed) {
    options_.ds_write = static_cast<Toggle>(pick(0, 2));
    options_.ds_read = static_cast<Toggle>(pick(0, 2));
    std::int64_t end = 0;
    for (int pieces = pick(1, 5); pieces > 0; --pieces) {
      const std::int64_t begin = end + pick(1, 6000);
      end = begin + pick(1, 9000);
      window_.add({begin, end});
      std::int64_t at = begin;
      while ((at += pick(0, 2000)) < end) {
        const std::int64_t until = std::min(end, at + pick(1, 2000));
        requests_.emplace_back(Extent{at, until});
        at = until;
      }
    }
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> lengths;
    for (const Extent& request : requests_) {
      offsets.push_back(request.begin);
      lengths.push_back(request.length());
    }
    list_ = plan::encode_window(plan::Pattern(plan::blocks(offsets, lengths)), window_);
    const int bytes = pick(0, static_cast<int>(end) + 3000);
    for (int byte = 0; byte < bytes; ++byte) content_.push_back(static_cast<std::byte>(pick(1, 9)));
  }

  void write() {
    auto storage = stored();
    for (const Extent& request : requests_) {
      if (std::ssize(content_) < request.end) content_.resize(request.end);
      std::fill(content_.begin() + request.begin, content_.begin() + request.end, written);
    }
    std::vector<std::byte> buffer = at_requests(written, std::byte{99});
    report::Counters counters;
    WindowIo io(*storage, options_, counters);
    ASSERT_TRUE(io.write(buffer.data(), window_, list_).ok());
    ASSERT_EQ(file_->bytes(), content_);
  }

  void read() {
    auto storage = stored();
    std::vector<std::byte> buffer(window_.length());
    report::Counters counters;
    WindowIo io(*storage, options_, counters);
    auto blocks = nothing_read(window_);
    const Result<std::int64_t> end = io.read(buffer.data(), window_, list_, blocks);
    ASSERT_TRUE(end.ok());
    for_each_byte([&](std::int64_t offset, std::int64_t in_window) {
      ASSERT_EQ(offset < *end, offset < std::ssize(content_)) << offset;
      ASSERT_TRUE(offset >= *end || buffer[in_window] == content_[offset]) << offset;
    });
    const auto read_once = counters[report::Counter::storage_reads];
    ASSERT_TRUE(io.read(buffer.data(), window_, list_, blocks).ok());
    // Pieces behind the file's end were not asked for.
    ASSERT_TRUE(*end < window_.pieces().back().file.end ||
                counters[report::Counter::storage_reads] == read_once);
  }

 private:
  static constexpr std::byte written{77};

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  std::unique_ptr<storage::Storage> stored() {
    auto storage = storage::open_memory("/pieces", storage::Access::read_write, 0);
    EXPECT_TRUE(storage.ok() && (*storage)->write(0, content_).ok());
    return std::move(*storage);
  }

  std::vector<std::byte> at_requests(std::byte there, std::byte elsewhere) const {
    std::vector<std::byte> buffer(window_.length(), elsewhere);
    for_each_byte([&](std::int64_t, std::int64_t in_window) { buffer[in_window] = there; });
    return buffer;
  }

  /// visit(offset in the file, offset in the window) for all that is asked for.
  template <class Visit>
  void for_each_byte(Visit visit) const {
    for (const plan::Window::Piece& piece : window_.pieces())
      for (const Extent& request : requests_) {
        const Extent in_piece = intersection(request, piece.file);
        for (std::int64_t at = in_piece.begin; at < in_piece.end; ++at)
          visit(at, at - piece.file.begin + piece.offset);
      }
  }

  std::mt19937 random_;
  Options options_;
  plan::Window window_;
  std::vector<Extent> requests_;
  plan::RunEncoder list_;
  std::vector<std::byte> content_;
  std::shared_ptr<storage::MemoryFile> file_ = storage::MemoryFile::create("/pieces");
};

TEST(WindowIo, pieces_are_written_where_they_lie_and_nothing_else_is) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Pieces(seed).write();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(WindowIo, holes_of_a_large_window_keep_what_is_there_in_little_memory) {
  const Extent window{1000, 1000 + 5 * WindowIo::most_scratch / 2};
  const auto file = storage::MemoryFile::create("/large");
  auto storage = storage::open_memory("/large", storage::Access::read_write, 0);
  ASSERT_TRUE(storage.ok());
  std::mt19937 random(7);
  std::vector<std::byte> content(window.end - 3 * block);  // the last hole is behind its end
  for (std::byte& each : content) each = static_cast<std::byte>(random());
  file->put(0, content);
  content.resize(window.end);

  plan::RunEncoder list;
  const auto add = [&](Extent request) {
    list.add({request.begin - window.begin, request.length(), 0, 1});
    std::fill(content.begin() + request.begin, content.begin() + request.end, std::byte{77});
  };
  std::vector<std::byte> buffer(window.length(), std::byte{77});
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const std::int64_t end = window.end - 1;
  const std::int64_t first_hole = window.begin + 10;
  const std::int64_t second_read = first_hole + WindowIo::most_scratch;  // within a hole
  add({window.begin, first_hole});
  for (std::int64_t at = first_hole + 1; at < end - block;) {
    const std::int64_t until = std::min(at + between(1, 3 * block), end - block);
    const bool is_before = at < second_read && until >= second_read - block;
    add({at, is_before ? std::min(until, second_read - 1) : until});
    at = is_before ? second_read + 1 : until + between(1, 3 * block);
  }
  add({end, window.end});
  list.finish();

  Options options;
  options.ds_write = Toggle::enable;
  report::Counters counters;
  ASSERT_TRUE(
      WindowIo(**storage, options, counters).write(buffer.data(), plan::Window(window), list).ok());
  EXPECT_EQ(file->bytes(), content);
  EXPECT_EQ(counters[report::Counter::pre_reads], 3);
  EXPECT_LE(counters[report::Counter::pre_read_bytes], window.length());
}

TEST(WindowIo, pieces_are_read_as_far_as_the_file_goes_and_once) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Pieces(seed).read();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(BlocksRead, no_requests_need_nothing) {
  const Extent window{0, block};
  EXPECT_TRUE(BlocksRead(window).still_to_read(requests_of(window, {}), block).empty());
}

}  // namespace
}  // namespace headrace::engine
