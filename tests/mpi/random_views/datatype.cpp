#include "datatype.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace headrace::test {
namespace {

constexpr std::int64_t widest_span = 1 << 16;

struct Span {
  std::int64_t low;
  std::int64_t high;
};

Span span_of(const Datatype& type) {
  const std::int64_t low = type.true_lower_bound();
  return {low, low + type.true_extent()};
}

/// Packs a buffer where the byte at offset i of the span is number i >> shift.
std::vector<unsigned char> pack_numbers(const Datatype& type, Span span, int shift) {
  std::vector<unsigned char> numbers(static_cast<std::size_t>(span.high - span.low));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<unsigned char>(i >> shift);
  }
  int capacity = 0;
  require(MPI_Pack_size(1, type.get(), MPI_COMM_SELF, &capacity), "MPI_Pack_size");
  std::vector<unsigned char> packed(static_cast<std::size_t>(capacity));
  int packed_size = 0;
  require(MPI_Pack(numbers.data() - span.low, 1, type.get(), packed.data(), capacity, &packed_size,
                   MPI_COMM_SELF),
          "MPI_Pack");
  packed.resize(static_cast<std::size_t>(packed_size));
  return packed;
}

}  // namespace

void require(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::fprintf(stderr, "%s failed: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

std::int64_t Datatype::size() const {
  MPI_Count size = 0;
  require(MPI_Type_size_x(type_, &size), "MPI_Type_size_x");
  return size;
}

std::int64_t Datatype::extent() const {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  require(MPI_Type_get_extent(type_, &lower, &extent), "MPI_Type_get_extent");
  return extent;
}

std::int64_t Datatype::true_lower_bound() const {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  require(MPI_Type_get_true_extent(type_, &lower, &extent), "MPI_Type_get_true_extent");
  return lower;
}

std::int64_t Datatype::true_extent() const {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  require(MPI_Type_get_true_extent(type_, &lower, &extent), "MPI_Type_get_true_extent");
  return extent;
}

Datatype Datatype::duplicate() const {
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  require(MPI_Type_dup(type_, &copy), "MPI_Type_dup");
  return owned(copy);
}

bool map_bytes(const Datatype& type, int count, TypeMap& map) {
  map.clear();
  if (count == 0 || type.size() == 0) return true;
  const Span span = span_of(type);
  const std::int64_t extent = type.extent();
  if (span.high - span.low + std::abs(extent) * (count - 1) > widest_span) return false;
  const auto low_bytes = pack_numbers(type, span, 0);
  const auto high_bytes = pack_numbers(type, span, 8);
  // Element after element by the extent: Open MPI 4.1 packs several elements as if they touched
  // where an empty part of the datatype keeps them apart.
  for (int element = 0; element < count; ++element) {
    for (std::size_t i = 0; i < low_bytes.size(); ++i) {
      map.push_back(span.low + low_bytes[i] + 256 * high_bytes[i] + element * extent);
    }
  }
  return true;
}

bool bytes_are_distinct(TypeMap map) {
  std::sort(map.begin(), map.end());
  return std::adjacent_find(map.begin(), map.end()) == map.end();
}

bool bytes_ascend(const TypeMap& map) {
  return (map.empty() || map.front() >= 0) &&
         std::adjacent_find(map.begin(), map.end(), std::greater_equal<>()) == map.end();
}

}  // namespace headrace::test
