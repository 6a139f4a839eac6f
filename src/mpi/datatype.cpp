#include "mpi/datatype.hpp"

#include <new>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/checked_math.hpp"
#include "mpi/darray.hpp"
#include "mpi/datatype_cache.hpp"
#include "mpi/large_count.hpp"
#include "mpi/predefined.hpp"
#include "mpi/type_contents.hpp"
#include "mpi/typemap.hpp"

// The constructors of MPI-1 with integer displacements, which only old Fortran programs can reach.
// Open MPI has their names only when built to be compatible with MPI-1.
#if !defined(OMPI_ENABLE_MPI1_COMPAT) || OMPI_ENABLE_MPI1_COMPAT
#define HEADRACE_HAS_INTEGER_COMBINERS 1
#else
#define HEADRACE_HAS_INTEGER_COMBINERS 0
#endif

namespace headrace::mpi {
namespace {

using plan::PlacedLayout;
using DatatypePtrs = std::vector<DatatypePtr>;

Result<DatatypePtrs> decode_inner(const std::vector<DatatypeHandle>& types) {
  DatatypePtrs inner;
  inner.reserve(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    // Long structs repeat their types.
    if (i > 0 && types[i].get() == types[i - 1].get()) {
      inner.push_back(inner.back());
      continue;
    }
    Result<DatatypePtr> one = decode(types[i].get());
    if (!one.ok()) return one.status();
    inner.push_back(std::move(*one));
  }
  return inner;
}

PlacedLayout vector_layout(const Datatype& type, std::int64_t count, std::int64_t length,
                           std::int64_t stride) {
  return repeated(repeated(type.layout, length, type.extent), count, stride);
}

/// Numbers: count, lengths[count], displacements[count], the last in units of `unit` bytes.
PlacedLayout indexed_layout(const TypeContents& contents, std::span<const DatatypePtr> types,
                            std::int64_t unit) {
  const auto count = static_cast<std::size_t>(contents.list(0, 1)[0]);
  return scattered(types, contents.list(1, count), contents.list(1 + count, count), unit);
}

/// Numbers: count, length, displacements[count], the last in units of `unit` bytes.
PlacedLayout indexed_block_layout(const TypeContents& contents, std::span<const DatatypePtr> types,
                                  std::int64_t unit) {
  const auto count = static_cast<std::size_t>(contents.list(0, 1)[0]);
  return scattered(types, contents.list(1, 1).repeated(count), contents.list(2, count), unit);
}

/// Of the kinds whose numbers are lists; nothing of any other.
std::optional<PlacedLayout> listed_layout(const TypeContents& contents,
                                          std::span<const DatatypePtr> types) {
  const std::int64_t extent = types[0]->extent;
  switch (contents.combiner) {
    case MPI_COMBINER_INDEXED:
      return indexed_layout(contents, types, extent);
#if HEADRACE_HAS_INTEGER_COMBINERS
    case MPI_COMBINER_HINDEXED_INTEGER:
    case MPI_COMBINER_STRUCT_INTEGER:
#endif
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
      return indexed_layout(contents, types, 1);
    case MPI_COMBINER_INDEXED_BLOCK:
      return indexed_block_layout(contents, types, extent);
    case MPI_COMBINER_HINDEXED_BLOCK:
      return indexed_block_layout(contents, types, 1);
    default:
      return std::nullopt;
  }
}

Result<PlacedLayout> combined_layout(const TypeContents& contents,
                                     std::span<const DatatypePtr> types) {
  // A struct of no members is the only combination of no type.
  if (types.empty()) return PlacedLayout{};
  if (auto listed = listed_layout(contents, types)) return std::move(*listed);
  const Datatype& type = *types[0];
  const std::vector<std::int64_t> numbers = contents.numbers();
  switch (contents.combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return type.layout;
    case MPI_COMBINER_CONTIGUOUS:
      return repeated(type.layout, numbers[0], type.extent);
    case MPI_COMBINER_VECTOR:
      return vector_layout(type, numbers[0], numbers[1], checked_multiply(numbers[2], type.extent));
#if HEADRACE_HAS_INTEGER_COMBINERS
    case MPI_COMBINER_HVECTOR_INTEGER:
#endif
    case MPI_COMBINER_HVECTOR:
      return vector_layout(type, numbers[0], numbers[1], numbers[2]);
    case MPI_COMBINER_SUBARRAY:
      return array_layout(type, subarray_axes(numbers));
    case MPI_COMBINER_DARRAY:
      return array_layout(type, darray_axes(numbers));
    default:
      return Status(ErrorClass::other,
                    "a datatype of unknown combiner " + std::to_string(contents.combiner));
  }
}

Result<PlacedLayout> derived_layout(const TypeContents& contents) {
  Result<DatatypePtrs> inner = decode_inner(contents.types);
  if (!inner.ok()) return inner.status();
  return combined_layout(contents, *inner);
}

/// The host MPI's extent, and the layout's true one.
Result<DatatypePtr> describe(MPI_Datatype type, PlacedLayout layout, std::int64_t size) {
  const std::int64_t layout_size = layout.layout ? layout.layout->size() : 0;
  if (layout_size != size)
    return Status(ErrorClass::other, "a datatype of " + std::to_string(size) +
                                         " bytes was decoded to " + std::to_string(layout_size));
  Result<Bounds> bounds = extent_of(type);
  if (!bounds.ok()) return bounds.status();
  auto datatype = std::make_shared<Datatype>();
  datatype->size = size;
  datatype->lb = bounds->lb;
  datatype->extent = bounds->extent;
  if (layout.layout) {
    datatype->true_lb = layout.offset + layout.layout->span().begin;
    datatype->true_extent = layout.layout->span().length();
  }
  datatype->layout = std::move(layout);
  return DatatypePtr(std::move(datatype));
}

Result<DatatypePtr> decode_afresh(MPI_Datatype type) {
  Result<std::int64_t> size = size_of(type);
  if (!size.ok()) return size.status();
  Result<TypeContents> contents = contents_of(type);
  if (!contents.ok()) return contents.status();
  const bool predefined = contents->predefined();
  Result<PlacedLayout> layout =
      predefined ? predefined_layout(type, *size) : derived_layout(*contents);
  if (!layout.ok()) return layout.status();
  Result<DatatypePtr> datatype = describe(type, std::move(*layout), *size);
  // MPI never frees predefined datatypes, so what is cached on them would leak.
  if (!datatype.ok() || predefined) return datatype;
  return cache_datatype(type, std::move(*datatype));
}

}  // namespace

Result<DatatypePtr> decode(MPI_Datatype type) noexcept {
  try {
    if (type == MPI_DATATYPE_NULL) return Status(ErrorClass::other, "MPI_DATATYPE_NULL");
    if (DatatypePtr cached = cached_datatype(type)) return cached;
    return decode_afresh(type);
  } catch (const std::bad_alloc&) {
    return Status(ErrorClass::no_memory, "no memory to decode a datatype");
  } catch (const std::overflow_error& error) {
    return Status(ErrorClass::other, std::string("a datatype too large: ") + error.what());
  }
}

}  // namespace headrace::mpi
