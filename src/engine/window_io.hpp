// Moving one window between a collective buffer and the storage, holes and all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "base/raw_vector.hpp"
#include "base/status.hpp"
#include "plan/run_codec.hpp"
#include "plan/window.hpp"
#include "report/counters.hpp"
#include "storage/storage.hpp"

namespace headrace::engine {

/// A system call costs about as much as moving this many bytes: requests whose mean distance is
/// larger are served one by one, holes between smaller ones are read along (data sieving).
constexpr std::int64_t bytes_per_system_call = 16 << 10;

/// Which blocks of one piece of a window have been read. Requests for one window come one after the
/// other, and what one of them has had read may already be on its way to a rank when the next
/// comes: no block is read twice.
class BlocksRead {
 public:
  explicit BlocksRead(Extent piece);

  /// Whether any block has been read.
  bool has_any() const { return has_any_; }

  /// The blocks that `requests` need and that have not been read, joined where they are at most
  /// `bridged` bytes apart; from now on they count as read. `requests`: from piece.begin.
  std::vector<Extent> still_to_read(const plan::RunEncoder& requests, std::int64_t bridged);

 private:
  static constexpr std::int64_t block_bytes = 4096;

  Extent needed(Extent request) const;
  void take(Extent blocks, std::vector<Extent>& taken);

  Extent piece_;
  std::vector<bool> read_;
  bool has_any_ = false;
};

/// One for each piece.
std::vector<BlocksRead> nothing_read(const plan::Window& window);

class WindowIo {
 public:
  /// How much of a window is read at a time to keep what lies between requests: a window of the
  /// default size in one go, and of larger ones no more memory.
  static constexpr std::int64_t most_scratch = 8 << 20;

  /// All outlive the object.
  WindowIo(storage::Storage& storage, const Options& options, report::Counters& counters)
      : storage_(storage), options_(options), counters_(counters) {}

  /// Writes the bytes of `requests`, which have window offsets, as in `buffer`. Bytes between them
  /// are left as they are in the file: by writing each request alone where that is cheap, else by
  /// reading the piece first, under the storage's lock. The buffer's bytes between the requests are
  /// overwritten.
  Status write(std::byte* buffer, const plan::Window& window, const plan::RunEncoder& requests);

  /// Reads the bytes of `requests` to `buffer`, as far as they are not `read` already. Returns the
  /// file offset up to which there was data: INT64_MAX if all of it. Bytes of the buffer that were
  /// not asked for are unspecified.
  Result<std::int64_t> read(std::byte* buffer, const plan::Window& window,
                            const plan::RunEncoder& requests, std::span<BlocksRead> read);

 private:
  // Of one piece: its own part of the buffer, and requests at distances from its begin.
  Status write_piece(std::byte* buffer, Extent piece, const plan::RunEncoder& requests);
  Status write_each(const std::byte* buffer, Extent piece, const plan::RunEncoder& requests);
  Status write_span(const std::byte* buffer, Extent piece, Extent span);
  Status fill_holes(std::byte* buffer, Extent piece, const plan::RunEncoder& requests);
  void make_scratch(std::int64_t bytes);
  Status read_to_scratch(Extent extent);
  Result<std::int64_t> read_piece(std::byte* buffer, Extent piece, const plan::RunEncoder& requests,
                                  BlocksRead& read);
  Result<std::int64_t> read_span(std::byte* buffer, Extent piece, Extent span);

  storage::Storage& storage_;
  const Options& options_;
  report::Counters& counters_;
  RawVector<std::byte> scratch_;
};

}  // namespace headrace::engine
