#include "mpi/collectives.hpp"

#include <algorithm>
#include <vector>

#include "mpi/large_count.hpp"
#include "mpi/wait.hpp"

namespace headrace::mpi {
namespace {

using Bytes = std::span<std::byte>;

constexpr int tag = 32767;  // the highest that every MPI has; messengers stay below it

/// The binomial tree of all ranks, rank 0 at its root: a rank and those below it follow each other
/// in rank order. So where ranks of a node do, few messages leave it: 3 each way among 4 nodes of 8
/// ranks, where Open MPI 4.1's MPI_Ibcast has 24, and its MPI_Iallgather, in which every rank sends
/// to every other, 768. After a failure nothing more is sent or received here.
class Tree {
 public:
  explicit Tree(MPI_Comm comm) : comm_(comm) {
    int code = MPI_Comm_rank(comm, &rank_);
    if (code == MPI_SUCCESS) code = MPI_Comm_size(comm, &size_);
    check(code, "a communicator of Headrace");
    for (int step = 1; step < ranks_from(rank_); step *= 2) children_.push_back(rank_ + step);
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// In rank order, which is also that of how many ranks are below them.
  std::span<const int> children() const { return children_; }
  /// How many ranks `rank` and those below it are.
  int ranks_from(int rank) const {
    return rank == 0 ? size_ : std::min(rank & -rank, size_ - rank);
  }
  const Status& status() const { return status_; }

  void receive(int source, Bytes into) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (status_.ok())
      check(MPI_Irecv(into.data(), int_count(into.size()), MPI_BYTE, source, tag, comm_, &request),
            "MPI_Irecv");
    finish(request);
  }

  void send_to_parent(Bytes bytes) {
    if (rank_ != 0) finish(begin_send(parent(), bytes));
  }

  /// Rank 0's bytes, to everybody.
  void send_down(Bytes bytes) {
    if (rank_ != 0) receive(parent(), bytes);
    std::vector<MPI_Request> requests;
    // First to the one that has most ranks to pass them on to.
    for (auto child = children_.rbegin(); child != children_.rend(); ++child)
      requests.push_back(begin_send(*child, bytes));
    for (const MPI_Request request : requests) finish(request);
  }

 private:
  int parent() const { return rank_ - (rank_ & -rank_); }

  MPI_Request begin_send(int destination, Bytes bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (status_.ok())
      check(MPI_Isend(bytes.data(), int_count(bytes.size()), MPI_BYTE, destination, tag, comm_,
                      &request),
            "MPI_Isend");
    return request;
  }
  /// After a failure, too, of what had begun.
  void finish(MPI_Request request) {
    if (request != MPI_REQUEST_NULL) check(wait(request), "MPI_Test");
  }
  void check(int code, const char* what) { status_.update(status_of_mpi(code, what)); }

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<int> children_;
  Status status_;
};

}  // namespace

Status gather_bytes(std::span<const std::byte> mine, Bytes all, MPI_Comm comm) {
  Tree tree(comm);
  const auto of_ranks = [&](int first, int count) {
    return all.subspan(first * mine.size(), count * mine.size());
  };
  std::ranges::copy(mine, of_ranks(tree.rank(), 1).begin());
  for (const int child : tree.children())
    tree.receive(child, of_ranks(child, tree.ranks_from(child)));
  tree.send_to_parent(of_ranks(tree.rank(), tree.ranks_from(tree.rank())));
  tree.send_down(all);
  return tree.status();
}

Status minima(std::span<std::int64_t> values, MPI_Comm comm) {
  Tree tree(comm);
  std::vector<std::int64_t> others(values.size());
  for (const int child : tree.children()) {
    tree.receive(child, std::as_writable_bytes(std::span(others)));
    std::ranges::transform(values, others, values.begin(), std::ranges::min);
  }
  tree.send_to_parent(std::as_writable_bytes(values));
  tree.send_down(std::as_writable_bytes(values));
  return tree.status();
}

Result<std::int64_t> minimum(std::int64_t mine, MPI_Comm comm) {
  if (Status status = minima(std::span(&mine, 1), comm); !status.ok()) return status;
  return mine;
}

Status broadcast_bytes(Bytes bytes, MPI_Comm comm) {
  Tree tree(comm);
  tree.send_down(bytes);
  return tree.status();
}

}  // namespace headrace::mpi
