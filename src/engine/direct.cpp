#include "engine/direct.hpp"

#include <algorithm>

#include "engine/copy.hpp"

namespace headrace::engine {
namespace {

/// The call's bytes in pieces that lie contiguously in memory, or that fit the buffer.
class CallPieces {
 public:
  CallPieces(const Call& call, std::int64_t buffer_size)
      : call_(call), is_contiguous_(call.memory.is_contiguous()) {
    size_ = is_contiguous_ ? call.file.size() : std::min(buffer_size, call.file.size());
    if (!is_contiguous_) gathered_.resize(static_cast<std::size_t>(size_));
  }

  std::int64_t size() const { return size_; }
  /// Where piece [begin, end) is, or is gathered to.
  std::span<std::byte> at(Extent piece) {
    std::byte* data =
        is_contiguous_ ? call_.buffer + call_.memory.offset_of(piece.begin) : gathered_.data();
    return {data, static_cast<std::size_t>(piece.length())};
  }
  void gather(Extent piece) {
    if (!is_contiguous_)
      copy_runs(gathered_.data(), OneRun(0, piece.length()), call_.buffer,
                plan::RunCursor(call_.memory, piece.begin, piece.end));
  }
  void scatter(Extent piece) {
    if (!is_contiguous_)
      copy_runs(call_.buffer, plan::RunCursor(call_.memory, piece.begin, piece.end),
                gathered_.data(), OneRun(0, piece.length()));
  }

 private:
  const Call& call_;
  bool is_contiguous_;
  std::int64_t size_;
  std::vector<std::byte> gathered_;
};

}  // namespace

Status write_direct(const Call& call, storage::Storage& storage, std::int64_t buffer_size,
                    report::Counters& counters) {
  if (call.file.empty()) return {};
  CallPieces pieces(call, buffer_size);
  const std::int64_t offset = call.file.offset_of(0);
  for (std::int64_t at = 0; at < call.file.size(); at += pieces.size()) {
    const Extent piece{at, std::min(at + pieces.size(), call.file.size())};
    pieces.gather(piece);
    ++counters[report::Counter::storage_writes];
    if (Status status = storage.write(offset + at, pieces.at(piece)); !status.ok()) return status;
  }
  return {};
}

Result<std::int64_t> read_direct(const Call& call, storage::Storage& storage,
                                 std::int64_t buffer_size, report::Counters& counters) {
  if (call.file.empty()) return std::int64_t{0};
  CallPieces pieces(call, buffer_size);
  const std::int64_t offset = call.file.offset_of(0);
  std::int64_t done = 0;
  while (done < call.file.size()) {
    const Extent piece{done, std::min(done + pieces.size(), call.file.size())};
    ++counters[report::Counter::storage_reads];
    const Result<std::int64_t> got = storage.read(offset + done, pieces.at(piece));
    if (!got.ok()) return got.status();
    pieces.scatter({done, done + *got});
    done += *got;
    if (*got < piece.length()) break;
  }
  return done;
}

}  // namespace headrace::engine
