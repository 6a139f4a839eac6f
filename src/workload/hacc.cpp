// HACC-IO: particles of a cosmology code, nine variables of 38 bytes together (TAPIOCA paper, V-B).
#include <algorithm>
#include <array>

#include "base/checked_math.hpp"
#include "workload/makers.hpp"
#include "workload/random_order.hpp"

namespace headrace::workload {
namespace {

/// Bytes of xx yy zz vx vy vz phi (float), pid (int64) and mask (uint16).
constexpr std::array<std::int64_t, 9> hacc_fields{4, 4, 4, 4, 4, 4, 4, 8, 2};
constexpr std::int64_t hacc_particle = 38;
constexpr std::int64_t hacc_header = 24 << 20;

constexpr std::array hacc_parameters{
    Parameter{"layout", "aos",
              "aos: nine arrays interleave per particle; soa: nine global arrays, a slice of each"},
    Parameter{"particles", "25000", "particles of a rank; 5000 to 100000 in the paper"},
    Parameter{"spread", "0", "percent by which a rank may have more or fewer particles, 0 to 100"},
};
constexpr std::array<std::string_view, 2> hacc_layouts{"aos", "soa"};

class Hacc final : public Workload {
 public:
  Hacc(bool is_aos, std::int64_t particles, std::int64_t spread, int ranks)
      : is_aos_(is_aos),
        particles_(particles),
        most_shifted_(particles * spread / 100),
        ranks_(ranks),
        total_(particles * ranks) {}

  int ranks() const override { return ranks_; }

  plan::PlacedLayout file(int rank) const override {
    const std::int64_t first = first_particle(rank);
    const std::int64_t count = first_particle(rank + 1) - first;
    if (is_aos_) return {first * hacc_particle, plan::contiguous(count * hacc_particle).layout};
    std::vector<plan::PlacedLayout> slices;
    std::int64_t array_begin = 0;
    for (const std::int64_t field : hacc_fields) {
      slices.push_back({array_begin + first * field, plan::contiguous(count * field).layout});
      array_begin += total_ * field;
    }
    return plan::sequence(slices);
  }

  /// Nine arrays, one after another, in the order of the file: their elements in turns, 9 blocks a
  /// particle, which MPI's constructors can only list.
  plan::PlacedLayout memory(int rank) const override {
    if (!is_aos_) return Workload::memory(rank);
    const std::int64_t count = first_particle(rank + 1) - first_particle(rank);
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t array_begin = 0;
      for (const std::int64_t field : hacc_fields) {
        offsets.push_back(array_begin + i * field);
        lengths.push_back(field);
        array_begin += count * field;
      }
    }
    return plan::blocks(offsets, lengths);
  }

  std::int64_t header_bytes() const override { return hacc_header; }
  std::int64_t call_stride() const override { return total_ * hacc_particle; }
  std::int64_t call_bytes() const override { return total_ * hacc_particle; }
  std::int64_t default_calls() const override { return 2; }

 private:
  /// The number of particles of all ranks before this one. Each boundary between two ranks is
  /// shifted by up to half the spread either way, so no sum over the ranks is needed.
  std::int64_t first_particle(int rank) const {
    if (rank == 0 || rank == ranks_ || most_shifted_ == 0) return rank * particles_;
    RandomStream random(static_cast<std::uint64_t>(rank));
    return rank * particles_ + random.below(most_shifted_ + 1) - most_shifted_ / 2;
  }

  bool is_aos_;
  std::int64_t particles_;
  std::int64_t most_shifted_;
  int ranks_;
  std::int64_t total_;
};

Made make_hacc(Arguments& arguments, int ranks) {
  const bool is_aos = arguments.word("layout", hacc_layouts) == 0;
  const std::int64_t particles = arguments.integer("particles", 1, 1'000'000'000);
  const std::int64_t spread = arguments.integer("spread", 0, 100);
  if (!arguments.status().ok()) return arguments.status();
  return Made(std::make_unique<Hacc>(is_aos, particles, spread, ranks));
}

}  // namespace

Maker hacc_maker() {
  return {{"hacc", "HACC-IO: particles of a cosmology code, nine variables (TAPIOCA paper, V-B)",
           hacc_parameters},
          make_hacc};
}

}  // namespace headrace::workload
