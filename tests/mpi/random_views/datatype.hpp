// MPI datatypes that free themselves, and where their bytes lie.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace headrace::test {

/// Stops the program if an MPI call that a test only prepares with fails.
void require(int code, const char* what);

/// Owns a derived datatype, or names a predefined one.
class Datatype {
 public:
  Datatype() = default;
  static Datatype predefined(MPI_Datatype type) { return {type, false}; }
  static Datatype owned(MPI_Datatype type) { return {type, true}; }
  Datatype(Datatype&& other) noexcept { swap(other); }
  Datatype& operator=(Datatype&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Datatype() {
    if (owned_) MPI_Type_free(&type_);
  }

  MPI_Datatype get() const noexcept { return type_; }
  std::int64_t size() const;
  std::int64_t extent() const;
  std::int64_t true_lower_bound() const;
  std::int64_t true_extent() const;
  Datatype duplicate() const;

 private:
  Datatype(MPI_Datatype type, bool owned) noexcept : type_(type), owned_(owned) {}
  void swap(Datatype& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(owned_, other.owned_);
  }

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool owned_ = false;
};

/// Offset from the buffer's address of each byte, in the order of the type map.
using TypeMap = std::vector<std::int64_t>;

/// The type map of `count` elements of a committed datatype, found by packing a buffer whose bytes
/// are numbered; no knowledge of how the type was made. False: it spans more than 64 KiB.
bool map_bytes(const Datatype& type, int count, TypeMap& map);

/// Whether no byte is named twice.
bool bytes_are_distinct(TypeMap map);
/// Whether offsets only grow, from zero or above: what a file view needs.
bool bytes_ascend(const TypeMap& map);

}  // namespace headrace::test
