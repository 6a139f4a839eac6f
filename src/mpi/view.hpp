// Which bytes a call touches: in memory by a datatype and a count, in a file by a view.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "mpi/datatype.hpp"
#include "plan/pattern.hpp"

namespace headrace::mpi {

/// A file view (MPI 4.0, section 14.3): bytes.
struct View {
  std::int64_t displacement = 0;
  std::int64_t etype_size = 1;
  DatatypePtr filetype;
};

/// The view of a file that was just opened: a stream of bytes from offset 0.
View default_view();

/// `count` copies of `type`, offsets counted from the buffer's address. An error, of class `other`,
/// if they reach beyond 64-bit offsets. count >= 0.
Result<plan::Pattern> memory_pattern(const Datatype& type, std::int64_t count) noexcept;

/// The file bytes of `bytes` bytes of the view's data, from its etype number `etype_offset` on.
/// Both are >= 0. An error, of class `other`, if they lie beyond 64-bit offsets, or if there are
/// none because the filetype has no bytes. O(1): the filetype's tiles are not written out.
Result<plan::Pattern> file_pattern(const View& view, std::int64_t etype_offset,
                                   std::int64_t bytes) noexcept;

/// How many bytes of the view's data lie below byte `offset` of the file. Precondition: the
/// filetype has bytes, its layout is monotone, and its extent not less than its true extent.
std::int64_t bytes_below(const View& view, std::int64_t offset) noexcept;

}  // namespace headrace::mpi
