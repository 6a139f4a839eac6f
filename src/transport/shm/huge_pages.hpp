// Huge pages for shared memory, on kernels that have them on demand (MADV_COLLAPSE, Linux 6.1).
// Every rank of a node maps the buffers it fills, and the first call of a file was mostly spent on
// that: a node of n ranks sets up n + 1 times the entries of 4 KiB pages. Of huge pages there are
// 512 times fewer, and they are cleared faster. Nothing depends on them.
#pragma once

#include <cstdint>

namespace headrace::transport {

/// `bytes` > 0, or more: whole huge pages where at least half of the last one is used, if this
/// process has seen no reason to do without them.
std::int64_t rounded_for_huge_pages(std::int64_t bytes);

/// Backs with huge pages what it can of the file's bytes [offset, offset + bytes), as far as these
/// are whole ones. The others, and all where the system has none to give, or not quickly, are left
/// as they are. Content stays.
void back_with_huge_pages(int fd, std::int64_t offset, std::int64_t bytes);

}  // namespace headrace::transport
