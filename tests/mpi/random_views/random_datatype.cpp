#include "random_datatype.hpp"

#include <algorithm>
#include <array>

namespace headrace::test {
namespace {

/// Lengths and places of blocks, in multiples of some step.
struct Blocks {
  std::vector<int> lengths;
  std::vector<std::int64_t> places;
};

/// Makes one level of a random datatype around a child.
class Level {
 public:
  Level(Random& random, const Datatype& child, Taste taste)
      : random_(random), child_(child), taste_(taste) {}

  Datatype contiguous() {
    return made(MPI_Type_contiguous(few(), child_.get(), &type_), "MPI_Type_contiguous");
  }

  Datatype vector() {
    const int length = few();
    return made(MPI_Type_vector(few(), length, signed_stride(length + gap()), child_.get(), &type_),
                "MPI_Type_vector");
  }

  Datatype hvector() {
    const int length = few();
    const std::int64_t stride = signed_stride(units(length * child_.extent()) + gap());
    return made(MPI_Type_create_hvector(few(), length, stride * taste_.unit, child_.get(), &type_),
                "MPI_Type_create_hvector");
  }

  Datatype indexed() {
    const Blocks b = blocks(1, few());
    const std::vector<int> places(b.places.begin(), b.places.end());
    return made(MPI_Type_indexed(count(b), b.lengths.data(), places.data(), child_.get(), &type_),
                "MPI_Type_indexed");
  }

  Datatype hindexed() {
    const Blocks b = blocks(units(child_.extent()), few());
    const std::vector<MPI_Aint> places = in_bytes(b);
    return made(
        MPI_Type_create_hindexed(count(b), b.lengths.data(), places.data(), child_.get(), &type_),
        "MPI_Type_create_hindexed");
  }

  Datatype indexed_block() {
    const int length = few();
    const Blocks b = blocks(1, few(), length);
    const std::vector<int> places(b.places.begin(), b.places.end());
    return made(
        MPI_Type_create_indexed_block(count(b), length, places.data(), child_.get(), &type_),
        "MPI_Type_create_indexed_block");
  }

  Datatype hindexed_block() {
    const int length = few();
    const Blocks b = blocks(units(child_.extent()), few(), length);
    const std::vector<MPI_Aint> places = in_bytes(b);
    return made(
        MPI_Type_create_hindexed_block(count(b), length, places.data(), child_.get(), &type_),
        "MPI_Type_create_hindexed_block");
  }

  Datatype subarray() {
    const int dimensions = static_cast<int>(random_.between(1, 3));
    std::array<int, 3> sizes{};
    std::array<int, 3> parts{};
    std::array<int, 3> starts{};
    for (int d = 0; d < dimensions; ++d) {
      sizes[d] = static_cast<int>(random_.between(1, 5));
      parts[d] = static_cast<int>(random_.between(1, sizes[d]));
      starts[d] = static_cast<int>(random_.between(0, sizes[d] - parts[d]));
    }
    return made(MPI_Type_create_subarray(dimensions, sizes.data(), parts.data(), starts.data(),
                                         order(), child_.get(), &type_),
                "MPI_Type_create_subarray");
  }

  Datatype darray() {
    const std::array<int, 2> grid{static_cast<int>(random_.between(1, 3)),
                                  static_cast<int>(random_.between(1, 2))};
    const std::array<int, 2> sizes{static_cast<int>(random_.between(1, 7)),
                                   static_cast<int>(random_.between(1, 5))};
    const std::array<int, 2> kinds{random_.pick({MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}),
                                   random_.pick({MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC})};
    std::array<int, 2> blocks{};
    for (int d = 0; d < 2; ++d) {
      const bool cyclic = kinds[d] == MPI_DISTRIBUTE_CYCLIC && random_.chance(60);
      blocks[d] = cyclic ? static_cast<int>(random_.between(1, 3)) : MPI_DISTRIBUTE_DFLT_DARG;
    }
    const int ranks = grid[0] * grid[1];
    const int rank = static_cast<int>(random_.between(0, ranks - 1));
    const int code =
        MPI_Type_create_darray(ranks, rank, 2, sizes.data(), kinds.data(), blocks.data(),
                               grid.data(), order(), child_.get(), &type_);
    // Open MPI 4.1 refuses some in which this rank has no element.
    return code == MPI_SUCCESS ? Datatype::owned(type_) : child_.duplicate();
  }

  Datatype resized() {
    const std::int64_t used = units(child_.true_lower_bound() + child_.true_extent());
    const std::int64_t lower = random_.chance(50) ? 0 : random_.between(-4, 4);
    const std::int64_t extent = std::max<std::int64_t>(used, 1) + (random_.chance(50) ? 0 : gap());
    return made(
        MPI_Type_create_resized(child_.get(), lower * taste_.unit, extent * taste_.unit, &type_),
        "MPI_Type_create_resized");
  }

  /// The child, and around it others that are made from the same leaf.
  Datatype structure(const Datatype& leaf, int depth) {
    const int parts = static_cast<int>(random_.between(1, 3));
    std::vector<Datatype> others;
    std::vector<MPI_Datatype> types;
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    std::int64_t end = gap();
    for (int i = 0; i < parts; ++i) {
      others.push_back(i == 0 ? child_.duplicate() : random_datatype(random_, leaf, taste_, depth));
      const Datatype& part = others.back();
      lengths.push_back(may_be_member(part) ? few() : 0);
      places.push_back(end * taste_.unit);
      types.push_back(part.get());
      const std::int64_t bytes = part.true_lower_bound() + part.true_extent() +
                                 std::max(lengths.back() - 1, 0) * part.extent();
      end += units(std::max<std::int64_t>(bytes, 0)) + gap();
    }
    if (!taste_.ascending && random_.chance(50)) std::reverse(places.begin(), places.end());
    return made(MPI_Type_create_struct(parts, lengths.data(), places.data(), types.data(), &type_),
                "MPI_Type_create_struct");
  }

 private:
  int few() { return static_cast<int>(random_.chance(6) ? 0 : random_.between(1, 4)); }
  /// MPICH 4.0 divides by zero when it packs a struct with a member of no bytes, and packing is how
  /// the type map is found.
  static bool may_be_member(const Datatype& part) {
#ifdef MPICH
    return part.size() > 0;
#else
    (void)part;
    return true;
#endif
  }

  std::int64_t gap() {
    return random_.chance(40) ? 0 : random_.between(1, 9);
  }
  int order() {
    return random_.pick({MPI_ORDER_C, MPI_ORDER_FORTRAN});
  }
  std::int64_t units(std::int64_t bytes) const {
    return bytes / taste_.unit;
  }
  static int count(const Blocks& b) {
    return static_cast<int>(b.lengths.size());
  }

  /// Backwards never without a gap: Open MPI 4.1 packs a vector whose stride is minus its block
  /// as if it went forwards, and packing is how its type map is found.
  int signed_stride(std::int64_t stride) {
    const bool backwards = !taste_.ascending && random_.chance(40);
    return static_cast<int>(backwards ? -stride - 1 : stride);
  }

  /// Blocks of `width` steps an element, one after another with gaps; for memory in any order.
  Blocks blocks(std::int64_t width, int count, int same_length = -1) {
    Blocks b;
    std::int64_t end = taste_.ascending ? gap() : random_.between(-6, 6);
    for (int i = 0; i < count; ++i) {
      b.lengths.push_back(same_length >= 0 ? same_length : few());
      b.places.push_back(end);
      end += width * b.lengths.back() + gap();
    }
    if (!taste_.ascending) shuffle(b);
    return b;
  }

  void shuffle(Blocks& b) {
    for (std::size_t i = 1; i < b.lengths.size(); ++i) {
      const auto other = static_cast<std::size_t>(random_.between(0, static_cast<int>(i)));
      std::swap(b.lengths[i], b.lengths[other]);
      std::swap(b.places[i], b.places[other]);
    }
  }

  std::vector<MPI_Aint> in_bytes(const Blocks& b) const {
    std::vector<MPI_Aint> places;
    for (const std::int64_t place : b.places) places.push_back(place * taste_.unit);
    return places;
  }

  Datatype made(int code, const char* what) {
    require(code, what);
    return Datatype::owned(type_);
  }

  Random& random_;
  const Datatype& child_;
  Taste taste_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

Datatype random_level(Random& random, const Datatype& child, const Datatype& leaf, Taste taste,
                      int depth) {
  Level level(random, child, taste);
  switch (random.between(0, 11)) {
    case 0:
      return level.contiguous();
    case 1:
      return level.vector();
    case 2:
      return level.hvector();
    case 3:
      return level.indexed();
    case 4:
      return level.hindexed();
    case 5:
      return level.indexed_block();
    case 6:
      return level.hindexed_block();
    case 7:
      return level.subarray();
    case 8:
      return level.darray();
    case 9:
      return level.resized();
    case 10:
      return level.structure(leaf, depth);
    default:
      return child.duplicate();
  }
}

}  // namespace

Datatype random_datatype(Random& random, const Datatype& leaf, Taste taste, int depth) {
  const int levels = static_cast<int>(random.between(0, depth));
  Datatype type = leaf.duplicate();
  for (int i = 0; i < levels; ++i) type = random_level(random, type, leaf, taste, levels - 1);
  MPI_Datatype handle = type.get();
  require(MPI_Type_commit(&handle), "MPI_Type_commit");
  return type;
}

}  // namespace headrace::test
