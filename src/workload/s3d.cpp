// S3D-IO: a checkpoint of a turbulent combustion code (TAM paper, sections V and V-C): doubles
// yspecies[11][Z][Y][X], u[3][Z][Y][X], pressure[Z][Y][X] and temp[Z][Y][X], each cut into blocks.
// In the file they are sixteen arrays of one shape, one after another.
#include <array>

#include "base/checked_math.hpp"
#include "workload/arrays.hpp"
#include "workload/makers.hpp"

namespace headrace::workload {
namespace {

constexpr std::int64_t s3d_arrays = 11 + 3 + 1 + 1;
constexpr std::int64_t s3d_element = sizeof(double);

constexpr std::array s3d_parameters{
    Parameter{"edge", "128", "points of the mesh along each side, or XxYxZ; 800 is the paper's"},
    Parameter{"grid", "", "ranks along each side, as 4x2x2; empty: as near a cube as divides"},
};

class S3d final : public Workload {
 public:
  S3d(Edges edges, Edges grid, int ranks)
      : edges_(std::move(edges)),
        grid_(std::move(grid)),
        ranks_(ranks),
        array_bytes_(checked_multiply(volume(edges_), s3d_element)),
        call_bytes_(checked_multiply(array_bytes_, s3d_arrays)) {}

  int ranks() const override { return ranks_; }
  plan::PlacedLayout file(int rank) const override {
    const auto block = block_of_array(edges_, block_of_rank(edges_, grid_, rank), s3d_element);
    return plan::repeat(block, s3d_arrays, array_bytes_);
  }
  std::int64_t call_stride() const override { return call_bytes_; }
  std::int64_t call_bytes() const override { return call_bytes_; }
  std::int64_t default_calls() const override { return 2; }

 private:
  Edges edges_;
  Edges grid_;
  int ranks_;
  std::int64_t array_bytes_;
  std::int64_t call_bytes_;
};

Made make_s3d(Arguments& arguments, int ranks) {
  Edges edges = arguments.edges("edge", 3);
  const auto given = arguments.grid("grid", 3);
  if (!arguments.status().ok()) return arguments.status();
  auto grid = choose_grid(arguments, given, edges, ranks);
  if (!grid.ok()) return grid.status();
  return Made(std::make_unique<S3d>(std::move(edges), std::move(*grid), ranks));
}

}  // namespace

Maker s3d_maker() {
  return {{"s3d", "S3D-IO: 16 arrays in blocks, combustion checkpoint (TAM paper, V-C)",
           s3d_parameters},
          make_s3d};
}

}  // namespace headrace::workload
