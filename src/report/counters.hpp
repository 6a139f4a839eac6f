// What Headrace counts about one open file. Every counter is a sum over ranks when totalled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace::report {

enum class Counter : int {
  write_calls,      ///< collective writes that Headrace served (per rank: 1 each)
  read_calls,       ///< collective reads that Headrace served
  host_calls,       ///< collective calls left to the host MPI by agreement
  two_phase_calls,  ///< served with the method two_phase
  tam_calls,        ///< served with the method tam
  direct_calls,     ///< served with no exchange: each rank its own contiguous extent
  small_calls,      ///< served by the rank that completed the agreement on the call
  plans_reused,     ///< calls served by the plan of a call before
  bytes_written,    ///< bytes of users' data
  bytes_read,
  requests_before,      ///< noncontiguous requests (offset-length pairs) of all ranks
  requests_after,       ///< the same after local aggregation and coalescing
  requests_in_domains,  ///< writes: the same after the global aggregators' merging
  node_pieces,          ///< a rank's data of one window, moved through shared memory
  node_bytes,           ///< data bytes moved through shared memory
  messages,             ///< messages between nodes that carry requests or data
  message_bytes,
  storage_writes,  ///< writes issued to the file system
  storage_reads,
  pre_reads,       ///< reads made only to preserve holes
  pre_read_bytes,  ///< how much they asked for
  rounds,          ///< windows served by global aggregators
  count
};
constexpr int counter_count = static_cast<int>(Counter::count);

std::string_view counter_name(Counter counter) noexcept;

class Counters {
 public:
  std::int64_t& operator[](Counter counter) { return values_[static_cast<int>(counter)]; }
  std::int64_t operator[](Counter counter) const { return values_[static_cast<int>(counter)]; }
  std::array<std::int64_t, counter_count>& values() { return values_; }
  const std::array<std::int64_t, counter_count>& values() const { return values_; }

 private:
  std::array<std::int64_t, counter_count> values_{};
};

}  // namespace headrace::report
