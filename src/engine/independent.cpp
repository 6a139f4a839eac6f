#include "engine/independent.hpp"

#include <cstring>
#include <limits>
#include <vector>

namespace headrace::engine {
namespace {

constexpr std::int64_t packing_size = 1 << 20;

/// A pattern piece by piece, each as long as the caller can use.
class PieceCursor {
 public:
  explicit PieceCursor(const plan::Pattern& pattern) : runs_(pattern) {}

  /// The next piece, cut to at most `limit` bytes; empty at the end.
  Extent peek(std::int64_t limit) {
    if (run_.count == 0 && !runs_.next(run_)) return {};
    const std::int64_t begin = run_.offset + taken_;
    return {begin, begin + std::min(limit, run_.length - taken_)};
  }

  /// Leaves bytes of the piece peeked at behind.
  void advance(std::int64_t bytes) {
    taken_ += bytes;
    if (taken_ < run_.length) return;
    taken_ = 0;
    run_.offset += run_.stride;
    --run_.count;
  }

  Extent take(std::int64_t limit) {
    const Extent piece = peek(limit);
    if (!piece.empty()) advance(piece.length());
    return piece;
  }

 private:
  plan::RunCursor runs_;
  plan::Run run_{0, 0, 0, 0};
  std::int64_t taken_ = 0;  // bytes of the first piece of run_
};

/// Holds the lock that an incoherent file system needs; nothing on others.
class RangeLock {
 public:
  RangeLock(storage::Storage& storage, Extent range)
      : storage_(storage), range_(range), needed_(!storage.traits().coherent && !range.empty()) {
    if (needed_) status_ = storage.lock(range);
  }
  ~RangeLock() {
    if (needed_ && status_.ok()) storage_.unlock(range_);
  }
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;

  const Status& status() const { return status_; }
  /// Others must find what was written once they have the lock.
  Status flush() { return needed_ ? storage_.sync() : Status(); }

 private:
  storage::Storage& storage_;
  Extent range_;
  bool needed_;
  Status status_;
};

/// The longest piece of the file that is served at once.
std::int64_t piece_limit(const plan::Pattern& memory) {
  return memory.is_contiguous() ? std::numeric_limits<std::int64_t>::max() : packing_size;
}

/// The next `length` bytes of `memory`: in place if they are contiguous, else packed.
std::span<const std::byte> gather(PieceCursor& memory, const std::byte* buffer, std::int64_t length,
                                  std::vector<std::byte>& packing) {
  Extent piece = memory.take(length);
  if (piece.length() == length) return {buffer + piece.begin, static_cast<std::size_t>(length)};
  packing.resize(packing_size);
  std::int64_t packed = 0;
  for (;;) {
    std::memcpy(&packing[packed], buffer + piece.begin, piece.length());
    packed += piece.length();
    if (packed == length) break;
    piece = memory.take(length - packed);
  }
  return std::span(packing).first(length);
}

void scatter(std::span<const std::byte> packed, PieceCursor& memory, std::byte* buffer) {
  for (std::size_t done = 0; done < packed.size();) {
    const Extent piece = memory.take(static_cast<std::int64_t>(packed.size() - done));
    std::memcpy(buffer + piece.begin, &packed[done], piece.length());
    done += piece.length();
  }
}

/// Reads `piece` of the file to the next bytes of `memory`.
Result<std::int64_t> read_piece(storage::Storage& storage, Extent piece, PieceCursor& memory,
                                std::byte* buffer, std::vector<std::byte>& packing) {
  const Extent place = memory.peek(piece.length());
  if (place.length() == piece.length()) {
    memory.advance(place.length());
    return storage.read(piece.begin,
                        {buffer + place.begin, static_cast<std::size_t>(place.length())});
  }
  packing.resize(packing_size);
  Result<std::int64_t> bytes = storage.read(piece.begin, std::span(packing).first(piece.length()));
  if (bytes.ok()) scatter(std::span(packing).first(*bytes), memory, buffer);
  return bytes;
}

}  // namespace

Result<std::int64_t> write_independently(storage::Storage& storage, const plan::Pattern& file,
                                         const plan::Pattern& memory, const std::byte* buffer) {
  RangeLock lock(storage, file.span());
  Status status = lock.status();
  PieceCursor pieces(file);
  PieceCursor sources(memory);
  std::vector<std::byte> packing;
  const std::int64_t limit = piece_limit(memory);
  for (Extent piece; status.ok() && !(piece = pieces.take(limit)).empty();)
    status = storage.write(piece.begin, gather(sources, buffer, piece.length(), packing));
  if (status.ok()) status = lock.flush();
  if (!status.ok()) return status;
  return file.size();
}

Result<std::int64_t> read_independently(storage::Storage& storage, const plan::Pattern& file,
                                        const plan::Pattern& memory, std::byte* buffer) {
  RangeLock lock(storage, file.span());
  if (!lock.status().ok()) return lock.status();
  PieceCursor pieces(file);
  PieceCursor places(memory);
  std::vector<std::byte> packing;
  const std::int64_t limit = piece_limit(memory);
  std::int64_t total = 0;
  for (Extent piece; !(piece = pieces.take(limit)).empty();) {
    const Result<std::int64_t> bytes = read_piece(storage, piece, places, buffer, packing);
    if (!bytes.ok()) return bytes;
    total += *bytes;
    if (*bytes < piece.length()) break;
  }
  return total;
}

}  // namespace headrace::engine
