// Teams outlive files: a program that opens one file after another on a communicator pays for
// communicators, shared memory and its page tables once.
#pragma once

#include <memory>

#include "mpi/handles.hpp"
#include "transport/team.hpp"

namespace headrace::transport {

/// A communicator of Headrace's own for one open file, and the team of its ranks once it is needed.
/// Taken from what closed files on the same communicator have left, or on any other if its ranks
/// are those of MPI_COMM_WORLD in their order; given back when destroyed.
/// Taking and destroying are collective over that communicator; so is make_team().
///
/// Ranks must take and destroy in one order. Several threads of a program may not keep to one, so
/// that under MPI_THREAD_MULTIPLE every file gets a communicator and a team of its own.
class TeamLease {
 public:
  /// Empty; comm() is MPI_COMM_NULL.
  TeamLease();
  /// Empty too if MPI gives no communicator. `users` stays the caller's, and its ranks are the
  /// team's.
  explicit TeamLease(MPI_Comm users) noexcept;
  TeamLease(TeamLease&&) noexcept;
  TeamLease& operator=(TeamLease&&) noexcept;
  /// Precondition: no rank is in a collective call of the team, or will be.
  ~TeamLease();

  /// A private duplicate of the user's communicator that returns errors.
  MPI_Comm comm() const noexcept;
  /// Null until make_team() has succeeded, for this file or one before.
  Team* team() const noexcept;
  /// Nothing if there is a team.
  Status make_team();

 private:
  struct Content;
  struct Pool;
  friend struct PoolAttribute;
  std::unique_ptr<Content> content_;
  std::weak_ptr<Pool> pool_;
};

}  // namespace headrace::transport
