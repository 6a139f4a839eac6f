#include "world.hpp"

#include <unistd.h>

#include <cstring>

#include "datatype.hpp"

namespace headrace::testing {

World::World(const std::string& directory) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  const auto bytes = static_cast<MPI_Aint>(sizeof(Shared)) * size_;
  void* memory = nullptr;
  require(MPI_Win_allocate_shared(rank_ == 0 ? bytes : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                                  &window_),
          "MPI_Win_allocate_shared");
  MPI_Aint size = 0;
  int unit = 0;
  require(MPI_Win_shared_query(window_, 0, &size, &unit, &memory), "MPI_Win_shared_query");
  if (rank_ == 0) std::memset(memory, 0, static_cast<std::size_t>(bytes));
  shared_ = static_cast<Shared*>(memory);
  long id = getpid();
  require(MPI_Bcast(&id, 1, MPI_LONG, 0, MPI_COMM_WORLD), "MPI_Bcast");
  const std::string path_start = directory + "/random_views." + std::to_string(id) + ".";
  for (int n = 1; n <= size_; ++n) groups_.push_back(make_group(n, path_start));
}

/// The first ranks of the world, the last ones, and both in reverse order, by turns.
Group World::make_group(int size, const std::string& path_start) {
  const bool first_ranks = size % 2 == 0;
  const bool reversed = size % 4 >= 2;
  const bool member = first_ranks ? rank_ < size : rank_ >= size_ - size;
  Group group;
  require(MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, reversed ? -rank_ : rank_,
                         &group.comm),
          "MPI_Comm_split");
  if (member) MPI_Comm_rank(group.comm, &group.rank);
  group.size = size;
  group.path = path_start + std::to_string(size);
  group.barrier = &shared_[size - 1].barrier;
  group.failed_case = &shared_[size - 1].failed_case;
  return group;
}

void World::free() {
  for (Group& group : groups_) {
    if (group.comm != MPI_COMM_NULL) MPI_Comm_free(&group.comm);
  }
  MPI_Win_free(&window_);
}

}  // namespace headrace::testing
