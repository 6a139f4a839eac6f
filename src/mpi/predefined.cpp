#include "mpi/predefined.hpp"

#include <cstddef>

#include "mpi/large_count.hpp"

namespace headrace::mpi {
namespace {

/// What MPI_MINLOC and MPI_MAXLOC take: a C struct, with the compiler's padding between its
/// members.
template <class Value>
struct ValueAndIndex {
  Value value;
  int index;
};

struct PairType {
  MPI_Datatype type;
  std::int64_t value_size;
  std::int64_t index_offset;
};

template <class Value>
PairType pair_type(MPI_Datatype type) {
  return {type, sizeof(Value), offsetof(ValueAndIndex<Value>, index)};
}

/// nullptr for the others, those of Fortran (MPI_2REAL, ...) among them: arrays of two, no padding.
const PairType* find_pair_type(MPI_Datatype type) {
  static const PairType pair_types[] = {
      pair_type<float>(MPI_FLOAT_INT), pair_type<double>(MPI_DOUBLE_INT),
      pair_type<long>(MPI_LONG_INT),   pair_type<short>(MPI_SHORT_INT),
      pair_type<int>(MPI_2INT),        pair_type<long double>(MPI_LONG_DOUBLE_INT)};
  for (const PairType& pair : pair_types)
    if (pair.type == type) return &pair;
  return nullptr;
}

}  // namespace

Result<plan::PlacedLayout> predefined_layout(MPI_Datatype type, std::int64_t size) {
  if (const PairType* pair = find_pair_type(type)) {
    const std::int64_t offsets[] = {0, pair->index_offset};
    const std::int64_t lengths[] = {pair->value_size, sizeof(int)};
    return plan::blocks(offsets, lengths);
  }
  // The markers MPI_LB and MPI_UB have no bytes; they show in the extent of what holds them.
  if (size == 0) return plan::PlacedLayout{};
  Result<Bounds> bounds = true_extent_of(type);
  if (!bounds.ok()) return bounds.status();
  if (bounds->extent != size)
    return Status(ErrorClass::other, "a predefined datatype with a hole that is not known");
  plan::PlacedLayout layout = plan::contiguous(size);
  layout.offset = bounds->lb;
  return layout;
}

}  // namespace headrace::mpi
