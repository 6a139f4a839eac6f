// The ranks of the test program: communicators of every size, made once, and what the ranks share
// without MPI.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mapped_file.hpp"
#include "support/rank_barrier.hpp"

namespace headrace::test {

/// Some ranks of the world: those that take part in a case.
struct Group {
  MPI_Comm comm = MPI_COMM_NULL;  ///< null: this rank is not in it
  int rank = -1;
  int size = 0;
  std::string path;  ///< of the file, its own for each group
  RankBarrier* barrier = nullptr;
  std::atomic<std::int64_t>* failed_case = nullptr;  ///< one more than the last case that failed

  void wait() const { barrier->wait(static_cast<std::uint32_t>(size)); }
};

/// Not destroyed: MPI_Finalize comes first.
class World {
 public:
  explicit World(const std::string& directory);

  int size() const noexcept { return size_; }
  int rank() const noexcept { return rank_; }
  const Group& group(int size) const { return groups_[static_cast<std::size_t>(size - 1)]; }
  void free();

 private:
  Group make_group(int size);

  struct Shared {
    RankBarrier barrier;
    std::atomic<std::int64_t> failed_case;
  };

  int rank_ = 0;
  int size_ = 0;
  std::string path_start_;  ///< of the files of this run
  std::optional<MappedFile> memory_;
  Shared* shared_ = nullptr;
  std::vector<Group> groups_;
};

}  // namespace headrace::test
