// Random workload of the scheduling paper (section 3, Fig. 5): the file is cut into pieces of
// random length, dealt to the ranks by a Gaussian around the median rank.
#include <algorithm>
#include <array>

#include "workload/makers.hpp"
#include "workload/random_order.hpp"

namespace headrace::workload {
namespace {

constexpr std::array random_parameters{
    Parameter{"size", "64MiB", "bytes of a call"},
    Parameter{"piece", "64KiB", "mean length of a piece; lengths are even from 1 to twice that"},
    Parameter{"deviation", "16", "standard deviation of the Gaussian, in percent of the ranks"},
    Parameter{"seed", "1", "another seed, other pieces"},
};

/// A number of mean 0 and standard deviation 1, near enough to a Gaussian one: twelve even ones
/// added up. In integers up to the last step, to be the same on every machine.
double gaussian(RandomStream& random) {
  std::int64_t sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<std::int64_t>(random.next() >> 32);
  constexpr double unit = 4294967296.0;
  return static_cast<double>(sum) / unit - 6.0;
}

class Random final : public Workload {
 public:
  struct Shape {
    std::int64_t bytes;
    std::int64_t mean_piece;
    double deviation;  ///< in ranks
    std::uint64_t seed;
  };

  Random(const Shape& shape, int ranks) : shape_(shape), ranks_(ranks) {}

  int ranks() const override { return ranks_; }
  /// Runs through all pieces, keeping its own: O(pieces of the file) time, O(own pieces) memory.
  plan::PlacedLayout file(int rank) const override {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> lengths;
    RandomStream random(shape_.seed);
    for (std::int64_t begin = 0; begin < shape_.bytes;) {
      const std::int64_t drawn = 1 + random.below(2 * shape_.mean_piece - 1);
      const std::int64_t length = std::min(drawn, shape_.bytes - begin);
      if (owner(random) == rank) {
        offsets.push_back(begin);
        lengths.push_back(length);
      }
      begin += length;
    }
    return plan::blocks(offsets, lengths);
  }
  std::int64_t call_stride() const override { return shape_.bytes; }
  std::int64_t call_bytes() const override { return shape_.bytes; }
  std::int64_t default_calls() const override { return 2; }

 private:
  int owner(RandomStream& random) const {
    for (;;) {
      const double drawn = 0.5 * ranks_ + shape_.deviation * gaussian(random);
      if (drawn >= 0 && drawn < ranks_) return static_cast<int>(drawn);
    }
  }

  Shape shape_;
  int ranks_;
};

Made make_random(Arguments& arguments, int ranks) {
  constexpr std::int64_t most = std::int64_t{1} << 50;
  Random::Shape shape{};
  shape.bytes = arguments.bytes("size", 1, most);
  shape.mean_piece = arguments.bytes("piece", 1, most);
  shape.deviation = static_cast<double>(arguments.integer("deviation", 1, 100)) / 100 * ranks;
  shape.seed = static_cast<std::uint64_t>(arguments.integer("seed", 0, most));
  if (!arguments.status().ok()) return arguments.status();
  return Made(std::make_unique<Random>(shape, ranks));
}

}  // namespace

Maker random_maker() {
  return {{"random", "random pieces, a Gaussian around the median rank (scheduling paper, 3)",
           random_parameters},
          make_random};
}

}  // namespace headrace::workload
