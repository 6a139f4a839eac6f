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

#include "plan/run_codec.hpp"

namespace headrace::plan {

/// One rank's part.
struct GatherSource {
  std::span<const std::byte> wire;  ///< requests, from the window's begin
  bool touches_before = false;      ///< it also has the byte just before the window
};

struct Gathered {
  /// The lists, packed: to be read by lists_in() and ListsDecoder. The data of the group are the
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

/// The runs of all lists, one list after the other. Does not own the bytes.
class ListsDecoder {
 public:
  explicit ListsDecoder(std::span<const std::byte> packed) : lists_(lists_in(packed)) {}

  /// The next run, in `run`; false at the end, and then `run` is untouched. Runs ascend within a
  /// list.
  bool next(Run& run) {
    while (!decoder_.next(run)) {
      if (list_ == lists_.size()) return false;
      decoder_ = RunDecoder(lists_[list_++]);
    }
    return true;
  }

  /// Calls visit(offset, length) for all pieces that are left, which it takes.
  template <class Visit>
  void for_each_piece(Visit&& visit) {
    decoder_.for_each_piece(visit);
    for (; list_ < lists_.size(); ++list_) RunDecoder(lists_[list_]).for_each_piece(visit);
  }

 private:
  std::vector<std::span<const std::byte>> lists_;
  std::size_t list_ = 0;  // behind the one under way
  RunDecoder decoder_;
};

}  // namespace headrace::plan
