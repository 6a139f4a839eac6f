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

class WindowIo {
 public:
  /// All outlive the object.
  WindowIo(storage::Storage& storage, const Options& options, report::Counters& counters)
      : storage_(storage), options_(options), counters_(counters) {}

  /// Writes the bytes of `requests` (wire form relative to window.begin), which lie in `buffer` at
  /// their distance from window.begin. Bytes between them are left as they are in the file: by
  /// writing each request alone where that is cheap, else by reading the window first, under the
  /// storage's lock. The buffer's bytes between the requests are overwritten.
  Status write(std::byte* buffer, Extent window, const plan::RunEncoder& requests);

  /// Reads the bytes of `requests` to their places in `buffer`. Returns the file offset up to which
  /// there was data: INT64_MAX if all of it. Bytes of the buffer that were not asked for are
  /// unspecified.
  Result<std::int64_t> read(std::byte* buffer, Extent window, const plan::RunEncoder& requests);

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
