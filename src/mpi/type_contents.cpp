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

/// Where MPI puts numbers of its type T that shall end up in `numbers`: at the end of their memory,
/// from where they are widened in place. No number is overwritten before it is read, as the k-th of
/// n is read at byte (8 - sizeof(T)) * n + sizeof(T) * k, and written at 8 * k, which is not above.
template <class T>
class Numbers {
 public:
  explicit Numbers(std::span<std::int64_t> numbers) : numbers_(numbers) {}

  T* data() { return reinterpret_cast<T*>(bytes().data()); }
  void widen() {
    if constexpr (std::is_same_v<T, std::int64_t>) return;
    const std::byte* from = bytes().data();
    for (std::int64_t& number : numbers_) {
      T narrow;
      std::memcpy(&narrow, from, sizeof narrow);
      from += sizeof narrow;
      number = narrow;
    }
  }

 private:
  std::span<std::byte> bytes() const {
    return std::as_writable_bytes(numbers_).last(numbers_.size() * sizeof(T));
  }

  std::span<std::int64_t> numbers_;
};

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

Result<TypeContents> contents_of(MPI_Datatype type) {
  Envelope sizes;
  if (const int code = get_envelope(type, sizes); code != MPI_SUCCESS)
    return status_of_mpi(code, "MPI_Type_get_envelope");
  TypeContents contents;
  contents.combiner = sizes.combiner;
  if (contents.predefined()) return contents;

  contents.numbers.resize(sizes.integers + sizes.addresses + sizes.counts);
  const std::span<std::int64_t> numbers = contents.numbers;
  Numbers<int> integers(numbers.first(sizes.integers));
  Numbers<MPI_Aint> addresses(numbers.subspan(sizes.integers, sizes.addresses));
  Numbers<MPI_Count> counts(numbers.last(sizes.counts));
  RawVector<MPI_Datatype> types(sizes.types);
  contents.types.reserve(types.size());
  if (const int code =
          get_contents(type, sizes, integers.data(), addresses.data(), counts.data(), types.data());
      code != MPI_SUCCESS)
    return status_of_mpi(code, "MPI_Type_get_contents");
  integers.widen();
  addresses.widen();
  counts.widen();

  for (const MPI_Datatype inner : types) {
    Result<DatatypeHandle> handle = adopt(inner);
    if (!handle.ok()) return handle.status();
    contents.types.push_back(std::move(*handle));
  }
  if (sizes.counts > 0) reorder_large_counts(contents.combiner, contents.numbers);
  return contents;
}

}  // namespace headrace::mpi
