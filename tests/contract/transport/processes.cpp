#include "contract/transport/processes.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace headrace::test {

using transport::FileNaming;
using transport::SharedFile;
using transport::ShmPeer;

MeetingPlace::MeetingPlace(int ranks)
    : ranks_(ranks),
      board_(static_cast<Board*>(mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
  pthread_barrierattr_t shared;
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&board_->barrier, &shared, ranks);
  pthread_barrierattr_destroy(&shared);
}

// The barrier is not destroyed: that would wait for a rank that has died in it.
MeetingPlace::~MeetingPlace() {
  munmap(board_, sizeof(Board));
}

std::vector<ShmPeer> MeetingPlace::gather(int rank, const ShmPeer& mine) {
  board_->peers[rank] = mine;
  meet();
  std::vector<ShmPeer> peers(board_->peers, board_->peers + ranks_);
  meet();
  return peers;
}

bool MeetingPlace::all(int rank, bool mine) {
  board_->flags[rank] = mine;
  meet();
  const bool result = std::all_of(board_->flags, board_->flags + ranks_, std::identity());
  meet();
  return result;
}

Result<std::unique_ptr<transport::NodeMemory>> make_shm_node(MeetingPlace& place, int rank,
                                                             const Distortion& distortion) {
  Status why(ErrorClass::other, "another rank could not join");
  for (const FileNaming naming : {FileNaming::anonymous, FileNaming::named}) {
    auto own = SharedFile::create(naming);
    auto peers = place.gather(rank, own.ok() ? transport::shm_peer(*own) : ShmPeer());
    if (distortion) distortion(naming, peers);
    auto node = own.ok() ? transport::join_shm_node(*own, rank, peers) : own.status();
    if (place.all(rank, node.ok())) return node;
    if (!node.ok()) why = node.status();
  }
  return why;
}

namespace {

[[noreturn]] void run_child(int rank, const std::function<void(int)>& body) {
  alarm(90);
  body(rank);
  std::fflush(nullptr);
  _exit(testing::Test::HasFailure() ? 1 : 0);
}

}  // namespace

std::vector<int> endings_of_processes(int ranks, const std::function<void(int rank)>& body) {
  std::fflush(nullptr);  // or the children would print it once more
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    children.push_back(fork());
    if (children.back() == 0) run_child(rank, body);
  }
  std::vector<int> endings;
  for (const pid_t child : children) {
    endings.push_back(-1);
    EXPECT_EQ(waitpid(child, &endings.back(), 0), child);
  }
  return endings;
}

void run_as_processes(int ranks, const std::function<void(int rank)>& body) {
  EXPECT_EQ(endings_of_processes(ranks, body), std::vector<int>(ranks, 0));
}

}  // namespace headrace::test
