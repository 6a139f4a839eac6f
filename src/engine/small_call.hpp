// Small calls: few bytes near each other, on one node. Each rank shows its part to the others
// before it agrees with them on what the call is, and the rank that completes the agreement serves
// them all before it lets the others go. So ranks meet once, where an exchange has them meet twice
// and wait for each other in between.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/raw_vector.hpp"
#include "engine/board.hpp"
#include "engine/collective_file.hpp"
#include "report/measures.hpp"

namespace headrace::engine {

class SmallCall {
 public:
  /// Both outlive the object.
  SmallCall(transport::NodeMemory& node, report::Measures& measures)
      : node_(node), measures_(measures) {}

  /// Shows this rank's part, if it is small; whether it is. An empty one is. The agreement on the
  /// call is to follow.
  bool show(const Call& call, bool is_write);

  /// Reads or writes the parts that all have shown, which lie in `range`. Returns the file offset
  /// up to which there was data. By one rank, when all have shown theirs and none goes on.
  Result<std::int64_t> serve(Extent range, bool is_write, storage::Storage& storage,
                             const Options& options);

  /// Of a read that was served, takes this rank's part to its buffer, as far as there was data.
  /// Returns how many bytes of a call were moved.
  std::int64_t end(const Call& call, bool is_write, std::int64_t readable_end);

 private:
  Parcel& parcel_of(int local_rank) { return board_of(node_, local_rank).parcel; }
  std::vector<plan::RunEncoder> lists_from(std::int64_t begin);
  template <class Move>
  void for_each_part(std::span<const plan::RunEncoder> lists, Move move);

  transport::NodeMemory& node_;
  report::Measures& measures_;
  RawVector<std::byte> buffer_;  // of the range
};

}  // namespace headrace::engine
