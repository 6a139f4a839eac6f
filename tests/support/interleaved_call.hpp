// A collective call in which the ranks take turns in the file.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collective_file.hpp"

namespace headrace::test {

struct Interleaving {
  int ranks;
  std::int64_t piece;      ///< bytes of a rank's turn
  std::int64_t pieces;     ///< turns of each rank
  std::int64_t gap;        ///< bytes after each turn that are nobody's
  std::int64_t begin = 0;  ///< of the first turn in the file
};

/// A rank's part; `buffer` becomes its data.
inline engine::Call interleaved_call(const Interleaving& all, int rank,
                                     std::vector<std::byte>& buffer) {
  const std::int64_t bytes = all.piece * all.pieces;
  buffer.assign(static_cast<std::size_t>(bytes), static_cast<std::byte>(rank + 1));
  const std::int64_t stride = all.piece + all.gap;
  plan::PlacedLayout file =
      plan::repeat(plan::contiguous(all.piece), all.pieces, all.ranks * stride);
  file.offset = all.begin + rank * stride;
  return {plan::Pattern(file, 0, bytes), plan::Pattern(plan::contiguous(bytes), 0, bytes),
          buffer.data()};
}

}  // namespace headrace::test
