#include "bench/pass.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "bench/checked.hpp"
#include "bench/content.hpp"

namespace headrace::bench {
namespace {

/// Seconds that `action` takes on this rank.
template <class Action>
double own_seconds(Action action) {
  const double begin = MPI_Wtime();
  action();
  return MPI_Wtime() - begin;
}

}  // namespace

Runner::Runner(MPI_Comm comm, const workload::Workload& workload, std::int64_t calls)
    : comm_(comm),
      workload_(workload),
      calls_(calls),
      layout_{workload.file(rank_of(comm)), workload.memory(rank_of(comm))},
      memory_pattern_(layout_.memory) {
  if (layout_.memory.layout)
    buffer_.resize(layout_.memory.offset + layout_.memory.layout->span().end);
}

template <class Action>
double Runner::seconds(Action action) const {
  check(MPI_Barrier(comm_), "MPI_Barrier");
  const double mine = own_seconds(action);
  wait_for_all();
  return reduced(comm_, mine, MPI_DOUBLE, MPI_MAX);
}

/// A barrier without spinning: ranks that are done must not take the cores of those that are not.
void Runner::wait_for_all() const {
  constexpr std::chrono::microseconds interval(500);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
  for (;;) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) return;
    std::this_thread::sleep_for(interval);
  }
}

Response Runner::response_of_all(double mine) const {
  const double sum = reduced(comm_, mine, MPI_DOUBLE, MPI_SUM);
  return {sum / workload_.ranks(), reduced(comm_, mine, MPI_DOUBLE, MPI_MAX)};
}

template <class Prepare, class Move, class After>
Times Runner::timed(Way& way, const std::string& path, bool is_write, Prepare prepare, Move move,
                    After after) {
  Times times;
  times.open = seconds([&] { way.open(path, is_write); });
  for (std::int64_t call = 0; call < calls_; ++call) {
    prepare(call);
    double response = 0;
    times.calls.push_back(seconds([&] {
      way.place(workload_.displacement(call));
      response = own_seconds(move);
    }));
    times.responses.push_back(response_of_all(response));
    after(call);
  }
  times.close = seconds([&] { way.close(); });
  return times;
}

Pass Runner::write(Way& way, const std::string& path) {
  const auto prepare = [&](std::int64_t call) {
    fill({workload_.pattern(rank_of(comm_), call), memory_pattern_}, buffer_.data());
  };
  const auto move = [&] { way.write(buffer_.data()); };
  return {timed(way, path, true, prepare, move, [](std::int64_t) {}), std::nullopt};
}

Pass Runner::read(Way& way, const std::string& path) {
  std::optional<WrongByte> wrong;
  const auto prepare = [&](std::int64_t) {
    std::fill(buffer_.begin(), buffer_.end(), std::byte{0});
  };
  const auto move = [&] { way.read(buffer_.data()); };
  const auto after = [&](std::int64_t call) {
    if (!wrong) wrong = wrong_byte_in_buffer(call);
  };
  Pass pass{timed(way, path, false, prepare, move, after), std::nullopt};
  pass.wrong = lowest_of_all(comm_, wrong);
  return pass;
}

/// Also where something was put between the pieces of memory that a read is to fill.
std::optional<WrongByte> Runner::wrong_byte_in_buffer(std::int64_t call) const {
  const int rank = rank_of(comm_);
  const Part part{workload_.pattern(rank, call), memory_pattern_};
  if (const auto offset = first_wrong_in(part, buffer_.data())) return WrongByte{*offset, rank};
  const std::int64_t zeros = std::count(buffer_.begin(), buffer_.end(), std::byte{0});
  if (std::ssize(buffer_) - zeros == layout_.bytes()) return std::nullopt;
  return WrongByte{workload_.displacement(call), rank};
}

}  // namespace headrace::bench
