// One rank's requests, served by that rank alone: what remains where collective buffering is not to
// be had and there is no host MPI to leave the call to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "plan/pattern.hpp"
#include "storage/storage.hpp"

namespace headrace::engine {

/// Both give the bytes moved. `file` is monotone, `memory` of the same size, its offsets relative
/// to `buffer`. One access to the storage per contiguous piece of the file; noncontiguous memory is
/// packed through at most 1 MiB. Where the storage is not coherent, the range touched is locked for
/// the time of the call, and written through to the server before it is unlocked.
Result<std::int64_t> write_independently(storage::Storage& storage, const plan::Pattern& file,
                                         const plan::Pattern& memory, const std::byte* buffer);
/// Fewer bytes only where the file ends.
Result<std::int64_t> read_independently(storage::Storage& storage, const plan::Pattern& file,
                                        const plan::Pattern& memory, std::byte* buffer);

}  // namespace headrace::engine
