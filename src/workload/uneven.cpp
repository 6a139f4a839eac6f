// Fixed uneven workload of the scheduling paper (section 3, Fig. 4): the first half of the ranks
// write twice as much as the second, each in 160 pieces that interleave over all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/checked_math.hpp"
#include "workload/makers.hpp"

namespace headrace::workload {
namespace {

/// 1/8 MB: of the second half. With stripes of 1 MiB, its MB are MiB.
constexpr std::int64_t uneven_small_piece = 128 << 10;

constexpr std::array uneven_parameters{
    Parameter{"pieces", "160", "pieces of a rank"},
    Parameter{"scale", "16",
              "divides the pieces of 1/4 and 1/8 MiB, a power of two to 131072; 1 is the paper's"},
};

class Uneven final : public Workload {
 public:
  Uneven(std::int64_t pieces, std::int64_t small_piece, int ranks)
      : pieces_(pieces),
        small_(small_piece),
        ranks_(ranks),
        first_half_((ranks + 1) / 2),
        bytes_(checked_multiply(pieces, begin_in_turn(ranks))) {}

  int ranks() const override { return ranks_; }
  plan::PlacedLayout file(int rank) const override {
    const std::int64_t piece = begin_in_turn(rank + 1) - begin_in_turn(rank);
    auto pieces = plan::repeat(plan::contiguous(piece), pieces_, begin_in_turn(ranks_));
    pieces.offset += begin_in_turn(rank);
    return pieces;
  }
  std::int64_t call_stride() const override { return bytes_; }
  std::int64_t call_bytes() const override { return bytes_; }
  std::int64_t default_calls() const override { return 2; }

 private:
  /// Bytes of the ranks before this one in each turn, a turn being a piece of every rank.
  std::int64_t begin_in_turn(std::int64_t rank) const {
    return small_ * (rank + std::min<std::int64_t>(rank, first_half_));
  }

  std::int64_t pieces_;
  std::int64_t small_;
  int ranks_;
  int first_half_;  ///< how many ranks
  std::int64_t bytes_;
};

Made make_uneven(Arguments& arguments, int ranks) {
  const std::int64_t pieces = arguments.integer("pieces", 1, 1'000'000);
  const std::int64_t scale = arguments.integer("scale", 1, uneven_small_piece);
  if (!arguments.status().ok()) return arguments.status();
  if (uneven_small_piece % scale != 0)
    return arguments.complaint(
        fmt::format("parameter scale cannot be '{}': allowed is a power of two, 1 to {}", scale,
                    uneven_small_piece));
  return Made(std::make_unique<Uneven>(pieces, uneven_small_piece / scale, ranks));
}

}  // namespace

Maker uneven_maker() {
  return {{"uneven", "fixed uneven: half the ranks write twice as much (scheduling paper, 3)",
           uneven_parameters},
          make_uneven};
}

}  // namespace headrace::workload
