#include "engine/independent.hpp"

#include <limits>
#include <vector>

#include "engine/copy.hpp"

namespace headrace::engine {
namespace {

constexpr std::int64_t packing_size = 1 << 20;

using Pieces = PieceWalker<plan::RunCursor>;

/// The next piece, cut to at most `limit` bytes and left behind; empty at the end.
Extent take(Pieces& pieces, std::int64_t limit) {
  if (pieces.at_end()) return {};
  const std::int64_t begin = pieces.offset();
  const std::int64_t length = std::min(limit, pieces.left());
  pieces.advance(length);
  return {begin, begin + length};
}

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

/// Where the bytes [begin, begin + length) of `memory` are if they are contiguous, else null.
template <class Byte>
Byte* in_place(const plan::Pattern& memory, std::int64_t begin, std::int64_t length, Byte* buffer) {
  plan::Run run;
  plan::RunCursor(memory, begin, begin + length).next(run);
  return run.length == length ? buffer + run.offset : nullptr;
}

/// Writes to `piece` of the file what begins at byte `position` of `memory`.
Status write_piece(storage::Storage& storage, Extent piece, const plan::Pattern& memory,
                   std::int64_t position, const std::byte* buffer,
                   std::vector<std::byte>& packing) {
  const std::int64_t length = piece.length();
  const std::byte* source = in_place(memory, position, length, buffer);
  if (source == nullptr) {
    packing.resize(packing_size);
    copy_runs(packing.data(), OneRun(0, length), buffer,
              plan::RunCursor(memory, position, position + length));
    source = packing.data();
  }
  return storage.write(piece.begin, {source, static_cast<std::size_t>(length)});
}

/// Reads `piece` of the file to what begins at byte `position` of `memory`.
Result<std::int64_t> read_piece(storage::Storage& storage, Extent piece,
                                const plan::Pattern& memory, std::int64_t position,
                                std::byte* buffer, std::vector<std::byte>& packing) {
  const auto length = static_cast<std::size_t>(piece.length());
  if (std::byte* target = in_place(memory, position, piece.length(), buffer))
    return storage.read(piece.begin, {target, length});
  packing.resize(packing_size);
  Result<std::int64_t> bytes = storage.read(piece.begin, std::span(packing).first(length));
  if (bytes.ok())
    copy_runs(buffer, plan::RunCursor(memory, position, position + *bytes), packing.data(),
              OneRun(0, *bytes));
  return bytes;
}

}  // namespace

Result<std::int64_t> write_independently(storage::Storage& storage, const plan::Pattern& file,
                                         const plan::Pattern& memory, const std::byte* buffer) {
  RangeLock lock(storage, file.span());
  Status status = lock.status();
  Pieces pieces{plan::RunCursor(file)};
  std::vector<std::byte> packing;
  const std::int64_t limit = piece_limit(memory);
  std::int64_t position = 0;
  for (Extent piece; status.ok() && !(piece = take(pieces, limit)).empty();
       position += piece.length())
    status = write_piece(storage, piece, memory, position, buffer, packing);
  if (status.ok()) status = lock.flush();
  if (!status.ok()) return status;
  return file.size();
}

Result<std::int64_t> read_independently(storage::Storage& storage, const plan::Pattern& file,
                                        const plan::Pattern& memory, std::byte* buffer) {
  RangeLock lock(storage, file.span());
  if (!lock.status().ok()) return lock.status();
  Pieces pieces{plan::RunCursor(file)};
  std::vector<std::byte> packing;
  const std::int64_t limit = piece_limit(memory);
  std::int64_t total = 0;
  for (Extent piece; !(piece = take(pieces, limit)).empty();) {
    Result<std::int64_t> bytes = read_piece(storage, piece, memory, total, buffer, packing);
    if (!bytes.ok()) return bytes;
    total += *bytes;
    if (*bytes < piece.length()) break;
  }
  return total;
}

}  // namespace headrace::engine
