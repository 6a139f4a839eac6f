#include "engine/window_io.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace headrace::engine {
namespace {

bool is_dense(const plan::RunEncoder& requests) {
  return requests.summary().span.length() / requests.summary().requests < bytes_per_system_call;
}

Extent span_in(Extent window, const plan::RunEncoder& requests) {
  return {window.begin + requests.summary().span.begin, window.begin + requests.summary().span.end};
}

/// Calls visit(Extent) for every request until one fails.
template <class Visit>
Status for_each_request(const plan::RunEncoder& requests, Extent window, Visit visit) {
  plan::RunDecoder decoder(requests.bytes());
  for (plan::Run run; decoder.next(run);)
    for (std::int64_t i = 0; i < run.count; ++i) {
      const std::int64_t begin = window.begin + run.offset + i * run.stride;
      if (Status status = visit(Extent{begin, begin + run.length}); !status.ok()) return status;
    }
  return {};
}

}  // namespace

Status WindowIo::write(std::byte* buffer, Extent window, const plan::RunEncoder& requests) {
  if (requests.summary().requests == 0) return {};
  const bool may_sieve = options_.ds_write != Toggle::disable && storage_.readable();
  const bool sieve = options_.ds_write == Toggle::enable || is_dense(requests);
  if (requests.summary().requests == 1 || !may_sieve || !sieve)
    return write_each(buffer, window, requests);
  const Extent span = span_in(window, requests);
  if (Status status = storage_.lock(span); !status.ok()) return status;
  Status status = fill_holes(buffer, window, requests);
  if (status.ok()) status = write_span(buffer, window, span);
  storage_.unlock(span);
  return status;
}

Status WindowIo::write_span(const std::byte* buffer, Extent window, Extent span) {
  ++counters_[report::Counter::storage_writes];
  return storage_.write(
      span.begin, {buffer + (span.begin - window.begin), static_cast<std::size_t>(span.length())});
}

Status WindowIo::write_each(const std::byte* buffer, Extent window,
                            const plan::RunEncoder& requests) {
  return for_each_request(requests, window,
                          [&](Extent request) { return write_span(buffer, window, request); });
}

/// Holes take the file's bytes; beyond its end, zeros.
Status WindowIo::fill_holes(std::byte* buffer, Extent window, const plan::RunEncoder& requests) {
  const Extent span = span_in(window, requests);
  scratch_.resize(static_cast<std::size_t>(span.length()));
  ++counters_[report::Counter::pre_reads];
  counters_[report::Counter::pre_read_bytes] += span.length();
  const Result<std::int64_t> got = storage_.read(span.begin, scratch_);
  if (!got.ok()) return got.status();
  std::memset(scratch_.data() + *got, 0, scratch_.size() - static_cast<std::size_t>(*got));
  std::int64_t hole_begin = span.begin;
  return for_each_request(requests, window, [&](Extent request) -> Status {
    std::memcpy(buffer + (hole_begin - window.begin), scratch_.data() + (hole_begin - span.begin),
                static_cast<std::size_t>(request.begin - hole_begin));
    hole_begin = request.end;
    return {};
  });
}

BlocksRead::BlocksRead(Extent window)
    : window_(window), read_((window.length() + block_bytes - 1) / block_bytes) {}

/// The blocks of a request, by number.
Extent BlocksRead::needed(Extent request) const {
  return {(request.begin - window_.begin) / block_bytes,
          (request.end - window_.begin + block_bytes - 1) / block_bytes};
}

/// Adds to `taken` what of the blocks has not been read.
void BlocksRead::take(Extent blocks, std::vector<Extent>& taken) {
  for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
    if (read_[block]) continue;
    read_[block] = has_any_ = true;
    const std::int64_t begin = window_.begin + block * block_bytes;
    const std::int64_t end = std::min(begin + block_bytes, window_.end);
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
    const std::int64_t begin = window_.begin + offset;
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

Result<std::int64_t> WindowIo::read(std::byte* buffer, Extent window,
                                    const plan::RunEncoder& requests, BlocksRead& read) {
  constexpr auto everything = std::numeric_limits<std::int64_t>::max();
  const std::int64_t bridged = options_.ds_read == Toggle::enable    ? window.length()
                               : options_.ds_read == Toggle::disable ? 0
                                                                     : bytes_per_system_call;
  std::int64_t readable_end = everything;
  for (const Extent piece : read.still_to_read(requests, bridged)) {
    if (readable_end < piece.begin) break;
    const Result<std::int64_t> end = read_piece(buffer, window, piece);
    if (!end.ok()) return end.status();
    readable_end = std::min(readable_end, *end);
  }
  return readable_end;
}

Result<std::int64_t> WindowIo::read_piece(std::byte* buffer, Extent window, Extent piece) {
  ++counters_[report::Counter::storage_reads];
  const Result<std::int64_t> got = storage_.read(
      piece.begin,
      {buffer + (piece.begin - window.begin), static_cast<std::size_t>(piece.length())});
  if (!got.ok()) return got.status();
  if (*got == piece.length()) return std::numeric_limits<std::int64_t>::max();
  return piece.begin + *got;
}

}  // namespace headrace::engine
