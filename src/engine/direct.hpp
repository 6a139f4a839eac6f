// Service with no exchange: each rank moves its own extent between memory and storage.
#pragma once

#include "engine/collective_file.hpp"

namespace headrace::engine {

/// Precondition of both: call.file is contiguous. `buffer_size` bounds the memory used to gather or
/// scatter noncontiguous memory. Local.
Status write_direct(const Call& call, storage::Storage& storage, std::int64_t buffer_size,
                    report::Counters& counters);
/// Returns the bytes that the file had.
Result<std::int64_t> read_direct(const Call& call, storage::Storage& storage,
                                 std::int64_t buffer_size, report::Counters& counters);

}  // namespace headrace::engine
