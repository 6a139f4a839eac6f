#include "transport/mpi/team_lease.hpp"

#include <mutex>
#include <new>
#include <vector>

#include "mpi/at_finalize.hpp"
#include "mpi/duplicate.hpp"
#include "transport/mpi/make_team.hpp"

namespace headrace::transport {

struct TeamLease::Content {
  mpi::CommHandle comm;
  std::unique_ptr<Team> team;  // goes before the communicator
};

/// What closed files have left on one communicator, the last one first.
struct TeamLease::Pool {
  std::vector<std::unique_ptr<Content>> idle;
};

/// Pools are attributes of the users' communicators, and go with them, or when MPI_Finalize begins.
/// Communicators of all ranks in their order have that of MPI_COMM_WORLD: libraries, as HDF5 and
/// PnetCDF, duplicate what they are given for each file.
struct PoolAttribute {
  using Pool = TeamLease::Pool;

  /// The pool of `comm`, made where there is none; null if MPI refuses.
  static std::shared_ptr<Pool> of(MPI_Comm comm) {
    const std::lock_guard lock(mutex);
    if (!has_keyval()) return nullptr;
    const MPI_Comm home = is_like_world(comm) ? MPI_COMM_WORLD : comm;
    void* value = nullptr;
    int found = 0;
    if (MPI_Comm_get_attr(home, keyval, &value, &found) != MPI_SUCCESS) return nullptr;
    if (found) return *static_cast<std::shared_ptr<Pool>*>(value);
    auto made = std::make_unique<std::shared_ptr<Pool>>(std::make_shared<Pool>());
    if (MPI_Comm_set_attr(home, keyval, made.get()) != MPI_SUCCESS) return nullptr;
    pools.push_back(*made);
    return *made.release();
  }

 private:
  /// The same on all its ranks. A program of sessions has no MPI_COMM_WORLD.
  static bool is_like_world(MPI_Comm comm) {
    int has_world = 0;
    int order = MPI_UNEQUAL;
    return MPI_Initialized(&has_world) == MPI_SUCCESS && has_world &&
           MPI_Comm_compare(comm, MPI_COMM_WORLD, &order) == MPI_SUCCESS &&
           (order == MPI_IDENT || order == MPI_CONGRUENT);
  }
  static bool has_keyval() {
    if (keyval != MPI_KEYVAL_INVALID || finalizing) return !finalizing;
    return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &keyval, nullptr) == MPI_SUCCESS &&
           mpi::call_at_finalize(empty_all);
  }
  static int drop(MPI_Comm, int, void* value, void*) {
    delete static_cast<std::shared_ptr<Pool>*>(value);
    return MPI_SUCCESS;
  }
  /// In the order in which the pools were made, which is the same on all ranks of each.
  static int empty_all(MPI_Comm, int, void*, void*) {
    finalizing = true;
    for (const std::weak_ptr<Pool>& each : pools)
      if (const auto pool = each.lock()) pool->idle.clear();
    pools.clear();
    return MPI_SUCCESS;
  }

  static inline std::mutex mutex;
  static inline int keyval = MPI_KEYVAL_INVALID;
  static inline bool finalizing = false;
  static inline std::vector<std::weak_ptr<Pool>> pools;
};

namespace {

bool threads_may_race() {
  int level = MPI_THREAD_MULTIPLE;
  return MPI_Query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE;
}

}  // namespace

TeamLease::TeamLease() = default;
TeamLease::TeamLease(TeamLease&&) noexcept = default;

TeamLease& TeamLease::operator=(TeamLease&& other) noexcept {
  std::swap(content_, other.content_);
  std::swap(pool_, other.pool_);
  return *this;
}

TeamLease::TeamLease(MPI_Comm users) noexcept {
  std::shared_ptr<Pool> pool;
  if (!threads_may_race()) pool = PoolAttribute::of(users);
  pool_ = pool;
  if (pool && !pool->idle.empty()) {
    content_ = std::move(pool->idle.back());
    pool->idle.pop_back();
    return;
  }
  mpi::CommHandle comm = mpi::duplicate(users);
  if (comm) content_ = std::make_unique<Content>(Content{std::move(comm), nullptr});
}

TeamLease::~TeamLease() {
  // As many as programs commonly have open at a time; what is kept holds memory.
  constexpr std::size_t most_idle = 2;
  const auto pool = pool_.lock();
  if (content_ && pool && pool->idle.size() < most_idle) pool->idle.push_back(std::move(content_));
}

MPI_Comm TeamLease::comm() const noexcept {
  return content_ ? content_->comm.get() : MPI_COMM_NULL;
}

Team* TeamLease::team() const noexcept {
  return content_ ? content_->team.get() : nullptr;
}

Status TeamLease::make_team() {
  if (team() != nullptr) return {};
  if (!content_) return {ErrorClass::other, "MPI has no communicator left"};
  auto made = transport::make_team(comm());
  if (made.ok()) content_->team = std::move(*made);
  return made.status();
}

}  // namespace headrace::transport
