#include "engine/independent.hpp"

#include <limits>

#include "engine/copy.hpp"

namespace headrace::engine {

using report::Phase;

namespace {

constexpr std::int64_t most_packed = 1 << 20;

/// The first contiguous piece from byte `position` of the pattern on.
Extent piece_at(const plan::Pattern& pattern, std::int64_t position) {
  plan::Run run;
  plan::RunCursor(pattern, position, pattern.size()).next(run);
  return {run.offset, run.offset + run.length};
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

/// Where the bytes [begin, begin + length) of the call's memory are if they are contiguous, else
/// null.
std::byte* in_place(const Call& call, std::int64_t begin, std::int64_t length) {
  plan::Run run;
  plan::RunCursor(call.memory, begin, begin + length).next(run);
  return run.length == length ? call.buffer + run.offset : nullptr;
}

}  // namespace

/// The longest piece of the file that is served at once.
std::int64_t IndependentIo::piece_limit(const Call& call) const {
  return call.memory.is_contiguous() ? std::numeric_limits<std::int64_t>::max() : most_packed;
}

std::span<std::byte> IndependentIo::packing(std::int64_t length) {
  const auto bytes = static_cast<std::size_t>(length);
  if (packing_.size() < bytes) packing_.resize(bytes);
  return std::span(packing_).first(bytes);
}

/// Writes to `piece` of the file what begins at byte `position` of the memory.
Status IndependentIo::write_piece(const Call& call, Extent piece, std::int64_t position) {
  const std::int64_t length = piece.length();
  ++counters_[report::Counter::storage_writes];
  if (const std::byte* source = in_place(call, position, length))
    return storage_.write(piece.begin, {source, static_cast<std::size_t>(length)});
  const std::span<std::byte> packed = packing(length);
  clock_.during(Phase::copy, [&] {
    copy_runs(packed.data(), OneRun(0, length), call.buffer,
              plan::RunCursor(call.memory, position, position + length));
  });
  return storage_.write(piece.begin, packed);
}

/// Reads `piece` of the file to what begins at byte `position` of the memory.
Result<std::int64_t> IndependentIo::read_piece(const Call& call, Extent piece,
                                               std::int64_t position) {
  const std::int64_t length = piece.length();
  ++counters_[report::Counter::storage_reads];
  if (std::byte* target = in_place(call, position, length))
    return storage_.read(piece.begin, {target, static_cast<std::size_t>(length)});
  const std::span<std::byte> packed = packing(length);
  Result<std::int64_t> bytes = storage_.read(piece.begin, packed);
  if (!bytes.ok()) return bytes;
  clock_.during(Phase::copy, [&] {
    copy_runs(call.buffer, plan::RunCursor(call.memory, position, position + *bytes), packed.data(),
              OneRun(0, *bytes));
  });
  return bytes;
}

Result<std::int64_t> IndependentIo::write(const Call& call) {
  return clock_.during(Phase::io, [&] { return write_pieces(call); });
}

Result<std::int64_t> IndependentIo::read(const Call& call) {
  return clock_.during(Phase::io, [&] { return read_pieces(call); });
}

Result<std::int64_t> IndependentIo::write_pieces(const Call& call) {
  storage_.begin_service(call.file.span());
  RangeLock lock(storage_, call.file.span());
  Status status = lock.status();
  const std::int64_t limit = piece_limit(call);
  std::int64_t position = 0;
  plan::RunCursor(call.file).for_each_piece([&](std::int64_t offset, std::int64_t left) {
    while (status.ok() && left > 0) {
      const std::int64_t length = std::min(limit, left);
      status = write_piece(call, {offset, offset + length}, position);
      offset += length;
      left -= length;
      position += length;
    }
  });
  if (status.ok()) status = lock.flush();
  if (!status.ok()) return status;
  return call.file.size();
}

/// Reads the bytes `stream` of the call, which lie in `window` of the file.
Result<std::int64_t> IndependentIo::read_window(const Call& call, Extent window, Extent stream) {
  const std::span<std::byte> buffer = packing(window.length());
  const plan::Window as_window(window);
  auto blocks = nothing_read(as_window);
  const Result<std::int64_t> end =
      window_io_.read(buffer.data(), as_window, plan::encode_window(call.file, as_window), blocks);
  if (!end.ok()) return end.status();
  stream.end = std::min(stream.end, std::max(stream.begin, call.file.bytes_below(*end)));
  clock_.during(Phase::copy, [&] {
    copy_runs(call.buffer, plan::RunCursor(call.memory, stream.begin, stream.end), buffer.data(),
              Moved(plan::RunCursor(call.file, stream.begin, stream.end), -window.begin));
  });
  return stream.length();
}

Result<std::int64_t> IndependentIo::read_pieces(const Call& call) {
  storage_.begin_service(call.file.span());
  RangeLock lock(storage_, call.file.span());
  if (!lock.status().ok()) return lock.status();
  const std::int64_t limit = piece_limit(call);
  std::int64_t total = 0;
  while (total < call.file.size()) {
    const Extent piece = piece_at(call.file, total);
    Extent stream{total, total + std::min(limit, piece.length())};
    Result<std::int64_t> bytes = 0;
    if (piece.length() < bytes_per_system_call && stream.end < call.file.size()) {
      const Extent window{piece.begin, std::min(piece.begin + most_packed, call.file.span().end)};
      stream.end = call.file.bytes_below(window.end);
      bytes = read_window(call, window, stream);
    } else {
      bytes = read_piece(call, {piece.begin, piece.begin + stream.length()}, total);
    }
    if (!bytes.ok()) return bytes;
    total += *bytes;
    if (*bytes < stream.length()) break;
  }
  return total;
}

}  // namespace headrace::engine
