// The patterns of IOR: blocks cut into transfers, in several segments. Here one collective call
// writes all that IOR writes in as many calls as a rank has transfers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/checked_math.hpp"
#include "workload/makers.hpp"
#include "workload/random_order.hpp"

namespace headrace::workload {
namespace {

constexpr std::array ior_parameters{
    Parameter{"order", "contiguous",
              "contiguous: a rank's data is one piece; segmented: a block in each segment; "
              "strided: transfers of all ranks in turn; random: transfers anywhere; "
              "shifted: the piece of another rank"},
    Parameter{"transfer", "256KiB", "bytes of a transfer; it divides block"},
    Parameter{"block", "1MiB", "bytes of a rank in a segment"},
    Parameter{"segments", "1", "segments of the file"},
    Parameter{"shift", "1", "shifted: rank r has what contiguous gives to rank r + shift"},
    Parameter{"seed", "1", "random: another seed, another order"},
};
constexpr std::array<std::string_view, 5> ior_orders{"contiguous", "segmented", "strided", "random",
                                                     "shifted"};
enum class IorOrder { contiguous, segmented, strided, random, shifted };

struct IorShape {
  IorOrder order;
  std::int64_t transfer;
  std::int64_t block;
  std::int64_t segments;
  std::int64_t shift;
  std::uint64_t seed;
};

class Ior final : public Workload {
 public:
  Ior(const IorShape& shape, int ranks)
      : shape_(shape),
        ranks_(ranks),
        rank_bytes_(checked_multiply(shape.block, shape.segments)),
        call_bytes_(checked_multiply(rank_bytes_, ranks)) {}

  int ranks() const override { return ranks_; }
  plan::PlacedLayout file(int rank) const override {
    switch (shape_.order) {
      case IorOrder::segmented:
        return interleaved(shape_.block, rank);
      case IorOrder::strided:
        return interleaved(shape_.transfer, rank);
      case IorOrder::random:
        return anywhere(rank);
      case IorOrder::shifted:
        return one_piece((rank + shape_.shift) % ranks_);
      case IorOrder::contiguous:
        break;
    }
    return one_piece(rank);
  }
  std::int64_t call_stride() const override { return call_bytes_; }
  std::int64_t call_bytes() const override { return call_bytes_; }
  std::int64_t default_calls() const override { return 4; }

 private:
  plan::PlacedLayout one_piece(std::int64_t place) const {
    return {place * rank_bytes_, plan::contiguous(rank_bytes_).layout};
  }
  /// Pieces of all ranks in turn.
  plan::PlacedLayout interleaved(std::int64_t piece, int rank) const {
    auto pieces = plan::repeat(plan::contiguous(piece), rank_bytes_ / piece, piece * ranks_);
    pieces.offset += piece * rank;
    return pieces;
  }
  /// Each rank's share of a random order of all transfers of the file.
  plan::PlacedLayout anywhere(int rank) const {
    const std::int64_t count = rank_bytes_ / shape_.transfer;
    const RandomOrder order(count * ranks_, shape_.seed);
    std::vector<std::int64_t> offsets;
    offsets.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = count * rank; i < count * (rank + 1); ++i)
      offsets.push_back(order.at(i) * shape_.transfer);
    std::sort(offsets.begin(), offsets.end());
    return plan::blocks(offsets, std::vector<std::int64_t>(offsets.size(), shape_.transfer));
  }

  IorShape shape_;
  int ranks_;
  std::int64_t rank_bytes_;
  std::int64_t call_bytes_;
};

Made make_ior(Arguments& arguments, int ranks) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  IorShape shape{};
  shape.order = static_cast<IorOrder>(arguments.word("order", ior_orders));
  shape.transfer = arguments.bytes("transfer", 1, most);
  shape.block = arguments.bytes("block", 1, most);
  shape.segments = arguments.integer("segments", 1, most);
  shape.shift = arguments.integer("shift", 0, most);
  shape.seed = static_cast<std::uint64_t>(arguments.integer("seed", 0, most));
  if (!arguments.status().ok()) return arguments.status();
  if (shape.block % shape.transfer != 0)
    return arguments.complaint(fmt::format("a block of {} bytes is no multiple of transfer, {}",
                                           shape.block, shape.transfer));
  return Made(std::make_unique<Ior>(shape, ranks));
}

}  // namespace

Maker ior_maker() {
  return {{"ior", "IOR-like: contiguous, segmented, strided, random or shifted", ior_parameters},
          make_ior};
}

}  // namespace headrace::workload
