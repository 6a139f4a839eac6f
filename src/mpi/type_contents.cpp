#include "mpi/type_contents.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

#include "mpi/errors.hpp"

namespace headrace::mpi {
namespace {

bool is_predefined_combiner(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

#if MPI_VERSION >= 4

struct Envelope {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;
  MPI_Count types = 0;
  int combiner = MPI_COMBINER_NAMED;
};

int get_envelope(MPI_Datatype type, Envelope& sizes) {
  return MPI_Type_get_envelope_c(type, &sizes.integers, &sizes.addresses, &sizes.counts,
                                 &sizes.types, &sizes.combiner);
}

int get_contents(MPI_Datatype type, const Envelope& sizes, int* integers, MPI_Aint* addresses,
                 MPI_Count* counts, MPI_Datatype* types) {
  return MPI_Type_get_contents_c(type, sizes.integers, sizes.addresses, sizes.counts, sizes.types,
                                 integers, addresses, counts, types);
}

#else

struct Envelope {
  int integers = 0;
  int addresses = 0;
  int counts = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
};

int get_envelope(MPI_Datatype type, Envelope& sizes) {
  return MPI_Type_get_envelope(type, &sizes.integers, &sizes.addresses, &sizes.types,
                               &sizes.combiner);
}

int get_contents(MPI_Datatype type, const Envelope& sizes, int* integers, MPI_Aint* addresses,
                 MPI_Count*, MPI_Datatype* types) {
  return MPI_Type_get_contents(type, sizes.integers, sizes.addresses, sizes.types, integers,
                               addresses, types);
}

#endif

/// The large-count constructors give their enumerators ahead of their counts, and nothing else out
/// of order (MPI 4.0, section 5.1.13).
void reorder_large_counts(int combiner, std::span<std::int64_t> numbers) {
  const auto begin = numbers.begin();
  if (combiner == MPI_COMBINER_SUBARRAY) {
    std::rotate(begin + 1, begin + 2, numbers.end());
  } else if (combiner == MPI_COMBINER_DARRAY) {
    const std::int64_t dimensions = numbers[2];
    std::rotate(begin + 3, numbers.end() - dimensions, numbers.end());
  }
}

Result<DatatypeHandle> adopt(MPI_Datatype inner) {
  const Result<bool> predefined = is_predefined(inner);
  if (!predefined.ok()) return predefined.status();
  return *predefined ? DatatypeHandle::borrowed(inner) : DatatypeHandle::owned(inner);
}

}  // namespace

Result<bool> is_predefined(MPI_Datatype type) {
  Envelope sizes;
  if (const int code = get_envelope(type, sizes); code != MPI_SUCCESS)
    return status_of_mpi(code, "MPI_Type_get_envelope");
  return is_predefined_combiner(sizes.combiner);
}

bool TypeContents::predefined() const noexcept {
  return is_predefined_combiner(combiner);
}

std::vector<std::int64_t> TypeContents::numbers() const {
  std::vector<std::int64_t> numbers(integers.begin(), integers.end());
  numbers.insert(numbers.end(), wide.begin(), wide.end());
  if (!wide.empty()) reorder_large_counts(combiner, numbers);
  return numbers;
}

NumberList TypeContents::list(std::size_t first, std::size_t count) const {
  if (first + count <= integers.size())
    return NumberList(std::span(integers).subspan(first, count));
  return NumberList(std::span(wide).subspan(first - integers.size(), count));
}

Result<TypeContents> contents_of(MPI_Datatype type) {
  Envelope sizes;
  if (const int code = get_envelope(type, sizes); code != MPI_SUCCESS)
    return status_of_mpi(code, "MPI_Type_get_envelope");
  TypeContents contents;
  contents.combiner = sizes.combiner;
  if (contents.predefined()) return contents;

  static_assert(std::is_same_v<MPI_Aint, std::int64_t>);
  contents.integers.resize(sizes.integers);
  contents.wide.resize(sizes.addresses);
  RawVector<MPI_Count> counts(sizes.counts);
  RawVector<MPI_Datatype> types(sizes.types);
  contents.types.reserve(types.size());
  if (const int code = get_contents(type, sizes, contents.integers.data(), contents.wide.data(),
                                    counts.data(), types.data());
      code != MPI_SUCCESS)
    return status_of_mpi(code, "MPI_Type_get_contents");
  contents.wide.insert(contents.wide.end(), counts.begin(), counts.end());

  for (const MPI_Datatype inner : types) {
    Result<DatatypeHandle> handle = adopt(inner);
    if (!handle.ok()) return handle.status();
    contents.types.push_back(std::move(*handle));
  }
  return contents;
}

}  // namespace headrace::mpi
