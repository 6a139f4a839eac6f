// Moving one window between a collective buffer and the storage, holes and all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "base/status.hpp"
#include "plan/run_codec.hpp"
#include "report/counters.hpp"
#include "storage/storage.hpp"

namespace headrace::engine {

/// A system call costs about as much as moving this many bytes: requests whose mean distance is
/// larger are served one by one, holes between smaller ones are read along (data sieving).
constexpr std::int64_t bytes_per_system_call = 16 << 10;

/// Which blocks of a window have been read. Requests for one window come one after the other, and
/// what one of them has had read may already be on its way to a rank when the next comes: no block
/// is read twice.
class BlocksRead {
 public:
  explicit BlocksRead(Extent window);

  /// Whether any block has been read.
  bool has_any() const { return has_any_; }

  /// The blocks that `requests` need and that have not been read, joined where they are at most
  /// `bridged` bytes apart; from now on they count as read. `requests`: from window.begin.
  std::vector<Extent> still_to_read(const plan::RunEncoder& requests, std::int64_t bridged);

 private:
  static constexpr std::int64_t block_bytes = 4096;

  Extent needed(Extent request) const;
  void take(Extent blocks, std::vector<Extent>& taken);

  Extent window_;
  std::vector<bool> read_;
  bool has_any_ = false;
};

class WindowIo {
 public:
  /// All outlive the object.
  WindowIo(storage::Storage& storage, const Options& options, report::Counters& counters)
      : storage_(storage), options_(options), counters_(counters) {}

  /// Writes the bytes of `requests` (at offsets from window.begin), which lie in `buffer` at
  /// their distance from window.begin. Bytes between them are left as they are in the file: by
  /// writing each request alone where that is cheap, else by reading the window first, under the
  /// storage's lock. The buffer's bytes between the requests are overwritten.
  Status write(std::byte* buffer, Extent window, const plan::RunEncoder& requests);

  /// Reads the bytes of `requests` to their places in `buffer`, as far as they are not `read`
  /// already. Returns the file offset up to which there was data: INT64_MAX if all of it. Bytes of
  /// the buffer that were not asked for are unspecified.
  Result<std::int64_t> read(std::byte* buffer, Extent window, const plan::RunEncoder& requests,
                            BlocksRead& read);

 private:
  Status write_each(const std::byte* buffer, Extent window, const plan::RunEncoder& requests);
  Status write_span(const std::byte* buffer, Extent window, Extent span);
  Status fill_holes(std::byte* buffer, Extent window, const plan::RunEncoder& requests);
  Result<std::int64_t> read_piece(std::byte* buffer, Extent window, Extent piece);

  storage::Storage& storage_;
  const Options& options_;
  report::Counters& counters_;
  std::vector<std::byte> scratch_;
};

}  // namespace headrace::engine
