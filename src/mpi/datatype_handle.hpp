// RAII for MPI_Datatype.
#pragma once

#include <mpi.h>

#include <utility>

namespace headrace::mpi {

/// Owns one reference to a datatype, or borrows one that must not be freed (a predefined one).
/// Must be gone before MPI_Finalize.
class DatatypeHandle {
 public:
  DatatypeHandle() noexcept = default;
  static DatatypeHandle owned(MPI_Datatype type) noexcept { return {type, true}; }
  static DatatypeHandle borrowed(MPI_Datatype type) noexcept { return {type, false}; }

  DatatypeHandle(DatatypeHandle&& other) noexcept
      : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)),
        owned_(std::exchange(other.owned_, false)) {}
  DatatypeHandle& operator=(DatatypeHandle&& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~DatatypeHandle() {
    // There is nobody to tell of a failure; MPI's own error handler has spoken.
    if (owned_) MPI_Type_free(&type_);
  }

  MPI_Datatype get() const noexcept { return type_; }
  /// Leaves it to the caller to free the datatype, if it is to be freed.
  MPI_Datatype release() noexcept {
    owned_ = false;
    return type_;
  }

 private:
  DatatypeHandle(MPI_Datatype type, bool owned) noexcept : type_(type), owned_(owned) {}

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool owned_ = false;
};

}  // namespace headrace::mpi
