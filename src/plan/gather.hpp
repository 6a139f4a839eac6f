// What the ranks of a group ask for in one window, gathered to be told to a global aggregator: as
// one list, merged and coalesced (TAM paper, section IV-A), where that leaves much less; else side
// by side, each rank's list as it is. Requests that hardly coalesce are not worth it: merging them
// costs a step for each, and then each rank's data must be scattered among that of the others,
// while side by side it lies in one piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/chained.hpp"
#include "plan/window.hpp"

namespace headrace::plan {

/// One rank's part.
struct GatherSource {
  std::span<const std::byte> wire;  ///< requests, at window offsets
  Cuts cuts;
};

struct Gathered {
  /// The lists, packed: to be read by lists_in() and runs_of(). The data of the group are the
  /// bytes of the first list, in its order, then those of the second, and so on.
  std::vector<std::byte> lists;
  /// places[k]: the data of source k, in its own order, as ascending runs of positions in the
  /// group's data.
  std::vector<RunEncoder> places;
  std::int64_t requests = 0;  ///< that begin in the window; one that was cut begins before it
  std::int64_t data_bytes = 0;
};

/// For a global aggregator of another node. `with_places`: whether to fill places.
Gathered gather(std::span<const GatherSource> sources, bool with_places);
/// For the one of the ranks' own node, to whose buffer they bring their data by themselves: it
/// wants to know what is asked for, and no more. Always merged, without places.
Gathered gather_at_home(std::span<const GatherSource> sources);

/// Views into `packed`, which is as gather() made it, or empty.
std::vector<std::span<const std::byte>> lists_in(std::span<const std::byte> packed);

/// The runs of all of them, one list after the other; they ascend within a list.
Chained<RunDecoder> runs_of(std::span<const std::byte> packed);

}  // namespace headrace::plan
