#include "transport/mpi/mpi_messenger.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <vector>

#include "mpi/errors.hpp"
#include "mpi/large_count.hpp"
#include "transport/slots.hpp"

namespace headrace::transport {
namespace {

/// One operation: a reduction takes two requests, everything else one. Finished ones are null.
struct Requests {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};

  bool are_done() const {
    return std::ranges::all_of(requests,
                               [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
  }
};
static_assert(sizeof(Requests) == 2 * sizeof(MPI_Request));  // so that many lie side by side

struct Matched {
  MPI_Message message = MPI_MESSAGE_NULL;
};

class MpiMessenger final : public Messenger {
 public:
  MpiMessenger(MPI_Comm comm, mpi::CommHandle leaders, int rank, int size)
      : comm_(comm), leaders_(std::move(leaders)), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Operation send(int destination, int tag, std::span<const std::byte> data) override {
    return start([&](Requests& own) {
      const int bytes = mpi::int_count(data.size());
      check(MPI_Issend(data.data(), bytes, MPI_BYTE, destination, tag, comm_, &own.requests[0]),
            "MPI_Issend");
    });
  }

  std::optional<Arrival> probe(int tag) override {
    if (!failure_.ok()) return std::nullopt;
    int found = 0;
    Matched matched;
    MPI_Status status;
    if (!check(MPI_Improbe(MPI_ANY_SOURCE, tag, comm_, &found, &matched.message, &status),
               "MPI_Improbe") ||
        !found)
      return std::nullopt;
    int bytes = 0;
    if (!check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count")) return std::nullopt;
    return Arrival{status.MPI_SOURCE, static_cast<std::size_t>(bytes), matched_.add(matched)};
  }

  Operation receive(const Arrival& arrival, std::span<std::byte> into) override {
    Matched matched = matched_.take(arrival.handle);
    return start([&](Requests& own) {
      check(MPI_Imrecv(into.data(), static_cast<int>(arrival.bytes), MPI_BYTE, &matched.message,
                       &own.requests[0]),
            "MPI_Imrecv");
    });
  }

  Operation expect(int source, int tag, std::span<std::byte> into) override {
    return start([&](Requests& own) {
      const int bytes = mpi::int_count(into.size());
      check(MPI_Irecv(into.data(), bytes, MPI_BYTE, source, tag, comm_, &own.requests[0]),
            "MPI_Irecv");
    });
  }

  Operation reduce(std::span<std::int64_t> maxima, std::span<std::int64_t> sums) override {
    return start([&](Requests& own) {
      reduce_one(maxima, MPI_MAX, own.requests[0]);
      reduce_one(sums, MPI_SUM, own.requests[1]);
    });
  }

  Operation barrier() override {
    return start([&](Requests& own) {
      check(MPI_Ibarrier(leaders_.get(), &own.requests[0]), "MPI_Ibarrier");
    });
  }

  bool progress() override {
    if (!failure_.ok()) return false;
    if (operations_.empty()) {
      int found = 0;  // whatever: what was sent before moves on
      check(MPI_Iprobe(MPI_ANY_SOURCE, 0, comm_, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
      return false;
    }
    const std::span<Requests> all = operations_.all();
    MPI_Request* const requests = all.front().requests.data();
    const auto count = static_cast<int>(2 * all.size());
    completed_.resize(count);
    int completed = 0;
    check(MPI_Testsome(count, requests, &completed, completed_.data(), MPI_STATUSES_IGNORE),
          "MPI_Testsome");
    return completed > 0;  // none were under way: MPI_UNDEFINED, which is negative
  }

  /// After a failure everything counts as finished.
  bool finished(Operation operation) override {
    if (failure_.ok() && !operations_[operation].are_done()) return false;
    operations_.take(operation);
    return true;
  }

  Status failure() const override { return failure_; }

 private:
  /// `call` starts requests; after a failure none is started.
  template <class Call>
  Operation start(Call call) {
    Requests own;
    if (failure_.ok()) call(own);
    return operations_.add(own);
  }

  void reduce_one(std::span<std::int64_t> values, MPI_Op op, MPI_Request& request) {
    if (values.empty()) return;
    const int count = mpi::int_count(values.size());
    check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), count, MPI_INT64_T, op, leaders_.get(),
                         &request),
          "MPI_Iallreduce");
  }

  bool check(int code, const char* what) {
    failure_.update(mpi::status_of_mpi(code, what));
    return code == MPI_SUCCESS;
  }

  const MPI_Comm comm_;
  const mpi::CommHandle leaders_;
  const int rank_;
  const int size_;
  Status failure_;
  Slots<Requests> operations_;
  std::vector<int> completed_;  // what MPI_Testsome tells, and nobody asks
  Slots<Matched> matched_;
};

}  // namespace

Result<std::unique_ptr<Messenger>> make_mpi_messenger(MPI_Comm comm, mpi::CommHandle leaders) {
  int code = leaders ? MPI_Comm_set_errhandler(leaders.get(), MPI_ERRORS_RETURN) : MPI_SUCCESS;
  int rank = 0;
  int size = 0;
  if (code == MPI_SUCCESS) code = MPI_Comm_rank(comm, &rank);
  if (code == MPI_SUCCESS) code = MPI_Comm_size(comm, &size);
  if (code != MPI_SUCCESS) return mpi::status_of_mpi(code, "a communicator for messages");
  return std::unique_ptr<Messenger>(
      std::make_unique<MpiMessenger>(comm, std::move(leaders), rank, size));
}

}  // namespace headrace::transport
