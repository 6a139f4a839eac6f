// Runs ranks as forked processes, and lets them set up shared memory without MPI.
#pragma once

#include <pthread.h>

#include <functional>
#include <memory>
#include <vector>

#include "transport/shm/shm_node.hpp"

namespace headrace::test {

/// What the processes of one test meet at: memory that they inherit. Used by at most max_ranks.
class MeetingPlace {
 public:
  static constexpr int max_ranks = 8;
  explicit MeetingPlace(int ranks);
  ~MeetingPlace();
  MeetingPlace(const MeetingPlace&) = delete;
  MeetingPlace& operator=(const MeetingPlace&) = delete;

  int ranks() const { return ranks_; }
  /// Collective over the ranks. All give what every rank gave, in rank order; whether it is true on
  /// every rank.
  std::vector<transport::ShmPeer> gather(int rank, const transport::ShmPeer& mine);
  bool all(int rank, bool mine);

 private:
  struct Board {
    pthread_barrier_t barrier;
    transport::ShmPeer peers[max_ranks];
    bool flags[max_ranks];
  };
  void meet() { pthread_barrier_wait(&board_->barrier); }

  const int ranks_;
  Board* const board_;
};

/// Changes what a rank hears, to make its set-up fail.
using Distortion = std::function<void(transport::FileNaming, std::vector<transport::ShmPeer>&)>;

/// The memory of a node of all ranks of the place, in files that are found in the first way in
/// which all can, as a team makes it. Collective.
Result<std::unique_ptr<transport::NodeMemory>> make_shm_node(
    MeetingPlace& place, int rank, const Distortion& distortion = nullptr);

/// Calls body(rank) in a process of its own for every rank, and waits for all. Returns how each
/// ended, as waitpid tells: 0 for one in which no expectation failed. None lives for longer than a
/// minute and a half.
std::vector<int> endings_of_processes(int ranks, const std::function<void(int rank)>& body);

/// The same, expecting that all end well.
void run_as_processes(int ranks, const std::function<void(int rank)>& body);

}  // namespace headrace::test
