// RAII for MPI_Comm and MPI_Group; and handles of files that are no MPI's.
#pragma once

#include <mpi.h>

#include <type_traits>
#include <utility>

namespace headrace::mpi {

/// Owns a communicator, or MPI_COMM_NULL. To free it is collective over its group. What outlives
/// MPI_Finalize is left alone: MPI has already taken it back.
class CommHandle {
 public:
  CommHandle() noexcept = default;
  explicit CommHandle(MPI_Comm comm) noexcept : comm_(comm) {}
  CommHandle(CommHandle&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  CommHandle& operator=(CommHandle&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }
  ~CommHandle() {
    int finalized = 0;
    if (comm_ == MPI_COMM_NULL || MPI_Finalized(&finalized) != MPI_SUCCESS || finalized) return;
    // There is nobody to tell of a failure.
    MPI_Comm_free(&comm_);
  }

  MPI_Comm get() const noexcept { return comm_; }
  explicit operator bool() const noexcept { return comm_ != MPI_COMM_NULL; }
  /// Where an MPI function is to put a new communicator. Precondition: none is owned.
  MPI_Comm* out() noexcept { return &comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Owns a group, or MPI_GROUP_NULL. Local.
class GroupHandle {
 public:
  GroupHandle() noexcept = default;
  GroupHandle(const GroupHandle&) = delete;
  GroupHandle& operator=(const GroupHandle&) = delete;
  ~GroupHandle() {
    if (group_ != MPI_GROUP_NULL) MPI_Group_free(&group_);
  }

  MPI_Group get() const noexcept { return group_; }
  /// Where an MPI function is to put a new group. Precondition: none is owned.
  MPI_Group* out() noexcept { return &group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

/// A handle other than any that the MPI gives while `object` lives. Only for who made it: to the
/// MPI it means nothing.
template <class Object>
MPI_File handle_of(const Object& object) noexcept {
  static_assert(std::is_pointer_v<MPI_File>, "this MPI's handles of files are not addresses");
  return reinterpret_cast<MPI_File>(const_cast<Object*>(&object));
}

}  // namespace headrace::mpi
