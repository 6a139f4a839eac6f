// One pass over a workload: a file is opened, every call made and timed, and the file closed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/verify.hpp"
#include "bench/way.hpp"
#include "plan/pattern.hpp"
#include "workload/workload.hpp"

namespace headrace::bench {

/// Seconds from one rank's call to its return: MPI_File_write_all alone, without the view.
struct Response {
  double mean = 0;  ///< of all ranks
  double slowest = 0;
};

/// Seconds, each of the slowest rank, all ranks having begun together.
struct Times {
  double open = 0;
  std::vector<double> calls;        ///< view and data
  std::vector<Response> responses;  ///< of the same calls
  double close = 0;
};

struct Pass {
  Times times;
  std::optional<WrongByte> wrong;  ///< in a buffer that was read; the same on every rank
};

/// One rank's buffer for a workload, and the calls that move it.
class Runner {
 public:
  /// `comm` has as many ranks as the workload. All outlive the object.
  Runner(MPI_Comm comm, const workload::Workload& workload, std::int64_t calls);

  const RankLayout& layout() const { return layout_; }
  /// Both are collective and throw std::runtime_error.
  Pass write(Way& way, const std::string& path);
  /// Every buffer is compared with the workload.
  Pass read(Way& way, const std::string& path);

 private:
  template <class Action>
  double seconds(Action action) const;
  void wait_for_all() const;
  Response response_of_all(double mine) const;
  template <class Prepare, class Move, class After>
  Times timed(Way& way, const std::string& path, bool is_write, Prepare prepare, Move move,
              After after);
  std::optional<WrongByte> wrong_byte_in_buffer(std::int64_t call) const;

  MPI_Comm comm_;
  const workload::Workload& workload_;
  std::int64_t calls_;
  RankLayout layout_;
  plan::Pattern memory_pattern_;
  std::vector<std::byte> buffer_;
};

}  // namespace headrace::bench
