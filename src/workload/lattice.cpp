// A four-dimensional array of sites, x fastest, cut into blocks: the pattern of lattice field
// theories, of which a user reported that hand-made I/O beats ROMIO sixfold (mpich #7935).
#include <array>

#include "base/checked_math.hpp"
#include "workload/arrays.hpp"
#include "workload/makers.hpp"

namespace headrace::workload {
namespace {

constexpr std::array lattice_parameters{
    Parameter{"sites", "16x16x16x32", "sites along each dimension, or XxYxZxT"},
    Parameter{"site_doubles", "24", "doubles of a site"},
    Parameter{"grid", "",
              "ranks along each dimension, as 2x2x2x4; empty: as near a cube as divides"},
};

class Lattice final : public Workload {
 public:
  Lattice(Edges sites, Edges grid, std::int64_t site_bytes, int ranks)
      : sites_(std::move(sites)),
        grid_(std::move(grid)),
        site_bytes_(site_bytes),
        ranks_(ranks),
        bytes_(checked_multiply(volume(sites_), site_bytes)) {}

  int ranks() const override { return ranks_; }
  plan::PlacedLayout file(int rank) const override {
    return block_of_array(sites_, block_of_rank(sites_, grid_, rank), site_bytes_);
  }
  std::int64_t call_stride() const override { return bytes_; }
  std::int64_t call_bytes() const override { return bytes_; }
  std::int64_t default_calls() const override { return 2; }

 private:
  Edges sites_;
  Edges grid_;
  std::int64_t site_bytes_;
  int ranks_;
  std::int64_t bytes_;
};

Made make_lattice(Arguments& arguments, int ranks) {
  Edges sites = arguments.edges("sites", 4);
  const std::int64_t doubles = arguments.integer("site_doubles", 1, 1'000'000);
  const auto given = arguments.grid("grid", 4);
  if (!arguments.status().ok()) return arguments.status();
  auto grid = choose_grid(arguments, given, sites, ranks);
  if (!grid.ok()) return grid.status();
  constexpr std::int64_t double_bytes = sizeof(double);
  return Made(
      std::make_unique<Lattice>(std::move(sites), std::move(*grid), doubles * double_bytes, ranks));
}

}  // namespace

Maker lattice_maker() {
  return {{"lattice", "4-D lattice of sites in blocks (mpich #7935)", lattice_parameters},
          make_lattice};
}

}  // namespace headrace::workload
