// Merging the sorted requests of several ranks into one sorted, coalesced list. Where they are far
// apart: the heap merge of the TAM paper, section IV-A, on runs, which takes together what lies
// together of one rank: O(n log k) for n requests that interleave, of k ranks; O(runs log k) where
// they do not. Where they are many and close together: by marking their bytes in a map, O(n).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/run_codec.hpp"

namespace headrace::plan {

/// The union of several ranks' requests, and where each rank's data lies in it.
struct Merged {
  /// The union: requests in offset order, overlaps counted once.
  RunEncoder requests;
  /// places[k]: the data of source k, in its own order, as ascending runs of positions in the
  /// packed union (the bytes of `requests`, one after another).
  std::vector<RunEncoder> places;
};

/// Merges the lists `wires`, whose offsets are from one begin. `with_places`: whether to fill
/// places.
Merged merge(std::span<const std::span<const std::byte>> wires, bool with_places);

/// The same where it leaves at least a third fewer requests, or bytes, than the lists have; else
/// none, and that is found out for less where requests are many.
std::optional<Merged> merge_if_worth(std::span<const std::span<const std::byte>> wires,
                                     bool with_places);

}  // namespace headrace::plan
