#include "world.hpp"

#include <unistd.h>

#include "datatype.hpp"

namespace headrace::test {

World::World(const std::string& directory) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  long id = getpid();
  require(MPI_Bcast(&id, 1, MPI_LONG, 0, MPI_COMM_WORLD), "MPI_Bcast");
  path_start_ = directory + "/random_views." + std::to_string(id) + ".";
  memory_.emplace(path_start_ + "shared", sizeof(Shared) * static_cast<std::size_t>(size_));
  shared_ = static_cast<Shared*>(memory_->data());
  for (int n = 1; n <= size_; ++n) groups_.push_back(make_group(n));
}

/// The first ranks of the world, the last ones, and both in reverse order, by turns.
Group World::make_group(int size) {
  const bool first_ranks = size % 2 == 0;
  const bool reversed = size % 4 >= 2;
  const bool member = first_ranks ? rank_ < size : rank_ >= size_ - size;
  Group group;
  require(MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, reversed ? -rank_ : rank_,
                         &group.comm),
          "MPI_Comm_split");
  if (member) MPI_Comm_rank(group.comm, &group.rank);
  group.size = size;
  group.path = path_start_ + std::to_string(size);
  group.barrier = &shared_[size - 1].barrier;
  group.failed_case = &shared_[size - 1].failed_case;
  return group;
}

void World::free() {
  for (Group& group : groups_) {
    if (group.comm != MPI_COMM_NULL) MPI_Comm_free(&group.comm);
  }
  memory_.reset();
}

}  // namespace headrace::test
