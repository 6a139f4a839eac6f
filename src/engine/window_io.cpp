#include "engine/window_io.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace headrace::engine {
namespace {

constexpr auto everything = std::numeric_limits<std::int64_t>::max();

bool is_dense(const plan::RunEncoder& requests) {
  return requests.summary().span.length() / requests.summary().requests < bytes_per_system_call;
}

Extent span_in(Extent piece, const plan::RunEncoder& requests) {
  return {piece.begin + requests.summary().span.begin, piece.begin + requests.summary().span.end};
}

/// Calls visit(Extent) for every request until one fails.
template <class Visit>
Status for_each_request(const plan::RunEncoder& requests, Extent piece, Visit visit) {
  plan::RunDecoder decoder(requests.bytes());
  for (plan::Run run; decoder.next(run);)
    for (std::int64_t i = 0; i < run.count; ++i) {
      const std::int64_t begin = piece.begin + run.offset + i * run.stride;
      if (Status status = visit(Extent{begin, begin + run.length}); !status.ok()) return status;
    }
  return {};
}

/// Calls visit(index, requests of the piece) for every piece.
template <class Visit>
void for_each_piece(const plan::Window& window, const plan::RunEncoder& requests, Visit visit) {
  if (window.pieces().size() == 1) return visit(0, requests);
  const std::vector<plan::RunEncoder> lists = plan::by_piece(requests, window);
  for (std::size_t index = 0; index < lists.size(); ++index) visit(index, lists[index]);
}

}  // namespace

std::vector<BlocksRead> nothing_read(const plan::Window& window) {
  std::vector<BlocksRead> read;
  for (const plan::Window::Piece& piece : window.pieces()) read.emplace_back(piece.file);
  return read;
}

Status WindowIo::write(std::byte* buffer, const plan::Window& window,
                       const plan::RunEncoder& requests) {
  Status status;
  for_each_piece(window, requests, [&](std::size_t index, const plan::RunEncoder& own) {
    const plan::Window::Piece& piece = window.pieces()[index];
    if (status.ok()) status = write_piece(buffer + piece.offset, piece.file, own);
  });
  return status;
}

Status WindowIo::write_piece(std::byte* buffer, Extent piece, const plan::RunEncoder& requests) {
  if (requests.summary().requests == 0) return {};
  const bool may_sieve = options_.ds_write != Toggle::disable && storage_.readable();
  const bool sieve = options_.ds_write == Toggle::enable || is_dense(requests);
  if (requests.summary().requests == 1 || !may_sieve || !sieve)
    return write_each(buffer, piece, requests);
  const Extent span = span_in(piece, requests);
  if (Status status = storage_.lock(span); !status.ok()) return status;
  Status status = fill_holes(buffer, piece, requests);
  if (status.ok()) status = write_span(buffer, piece, span);
  storage_.unlock(span);
  return status;
}

Status WindowIo::write_span(const std::byte* buffer, Extent piece, Extent span) {
  ++counters_[report::Counter::storage_writes];
  return storage_.write(
      span.begin, {buffer + (span.begin - piece.begin), static_cast<std::size_t>(span.length())});
}

Status WindowIo::write_each(const std::byte* buffer, Extent piece,
                            const plan::RunEncoder& requests) {
  return for_each_request(requests, piece,
                          [&](Extent request) { return write_span(buffer, piece, request); });
}

/// Holes take the file's bytes; beyond its end, zeros.
Status WindowIo::fill_holes(std::byte* buffer, Extent piece, const plan::RunEncoder& requests) {
  const Extent span = span_in(piece, requests);
  make_scratch(std::min(piece.length(), most_scratch));
  Extent held{span.begin, span.begin};  // of the file, by scratch_
  const auto fill = [&](Extent hole) -> Status {
    while (!hole.empty()) {
      if (hole.begin >= held.end) {
        held = {hole.begin, std::min(hole.begin + most_scratch, span.end)};
        if (Status status = read_to_scratch(held); !status.ok()) return status;
      }
      const std::int64_t end = std::min(hole.end, held.end);
      std::memcpy(buffer + (hole.begin - piece.begin), scratch_.data() + (hole.begin - held.begin),
                  static_cast<std::size_t>(end - hole.begin));
      hole.begin = end;
    }
    return {};
  };
  std::int64_t hole_begin = span.begin;
  return for_each_request(requests, piece, [&](Extent request) {
    return fill({std::exchange(hole_begin, request.end), request.begin});
  });
}

/// At least so many bytes.
void WindowIo::make_scratch(std::int64_t bytes) {
  if (std::ssize(scratch_) >= bytes) return;
  RawVector<std::byte>().swap(scratch_);  // before there is another one
  scratch_.resize(static_cast<std::size_t>(bytes));
}

Status WindowIo::read_to_scratch(Extent extent) {
  const auto into = std::span(scratch_).first(static_cast<std::size_t>(extent.length()));
  ++counters_[report::Counter::pre_reads];
  counters_[report::Counter::pre_read_bytes] += extent.length();
  const Result<std::int64_t> got = storage_.read(extent.begin, into);
  if (!got.ok()) return got.status();
  std::ranges::fill(into.subspan(static_cast<std::size_t>(*got)), std::byte{0});
  return {};
}

BlocksRead::BlocksRead(Extent piece)
    : piece_(piece), read_((piece.length() + block_bytes - 1) / block_bytes) {}

/// The blocks of a request, by number.
Extent BlocksRead::needed(Extent request) const {
  return {(request.begin - piece_.begin) / block_bytes,
          (request.end - piece_.begin + block_bytes - 1) / block_bytes};
}

/// Adds to `taken` what of the blocks has not been read.
void BlocksRead::take(Extent blocks, std::vector<Extent>& taken) {
  for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
    if (read_[block]) continue;
    read_[block] = has_any_ = true;
    const std::int64_t begin = piece_.begin + block * block_bytes;
    const std::int64_t end = std::min(begin + block_bytes, piece_.end);
    if (!taken.empty() && taken.back().end == begin)
      taken.back().end = end;
    else
      taken.push_back({begin, end});
  }
}

std::vector<Extent> BlocksRead::still_to_read(const plan::RunEncoder& requests,
                                              std::int64_t bridged) {
  std::vector<Extent> taken;
  Extent blocks;  // joined so far
  plan::RunDecoder(requests.bytes()).for_each_piece([&](std::int64_t offset, std::int64_t length) {
    const std::int64_t begin = piece_.begin + offset;
    const Extent next = needed({begin, begin + length});
    if (!blocks.empty() && (next.begin - blocks.end) * block_bytes <= bridged) {
      blocks.end = std::max(blocks.end, next.end);
    } else {
      take(blocks, taken);
      blocks = next;
    }
  });
  take(blocks, taken);
  return taken;
}

Result<std::int64_t> WindowIo::read(std::byte* buffer, const plan::Window& window,
                                    const plan::RunEncoder& requests, std::span<BlocksRead> read) {
  Result<std::int64_t> readable_end = everything;
  for_each_piece(window, requests, [&](std::size_t index, const plan::RunEncoder& own) {
    const plan::Window::Piece& piece = window.pieces()[index];
    if (!readable_end.ok() || *readable_end < piece.file.begin) return;
    const Result<std::int64_t> end =
        read_piece(buffer + piece.offset, piece.file, own, read[index]);
    readable_end = end.ok() ? std::min(*readable_end, *end) : end;
  });
  return readable_end;
}

Result<std::int64_t> WindowIo::read_piece(std::byte* buffer, Extent piece,
                                          const plan::RunEncoder& requests, BlocksRead& read) {
  const std::int64_t bridged = options_.ds_read == Toggle::enable    ? piece.length()
                               : options_.ds_read == Toggle::disable ? 0
                                                                     : bytes_per_system_call;
  std::int64_t readable_end = everything;
  for (const Extent span : read.still_to_read(requests, bridged)) {
    if (readable_end < span.begin) break;
    const Result<std::int64_t> end = read_span(buffer, piece, span);
    if (!end.ok()) return end.status();
    readable_end = std::min(readable_end, *end);
  }
  return readable_end;
}

Result<std::int64_t> WindowIo::read_span(std::byte* buffer, Extent piece, Extent span) {
  ++counters_[report::Counter::storage_reads];
  const Result<std::int64_t> got = storage_.read(
      span.begin, {buffer + (span.begin - piece.begin), static_cast<std::size_t>(span.length())});
  if (!got.ok()) return got.status();
  if (*got == span.length()) return everything;
  return span.begin + *got;
}

}  // namespace headrace::engine
