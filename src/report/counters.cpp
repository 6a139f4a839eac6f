#include "report/counters.hpp"

namespace headrace::report {

std::string_view counter_name(Counter counter) noexcept {
  constexpr std::array<std::string_view, counter_count> names{
      "write_calls",     "read_calls",     "host_calls",          "two_phase_calls", "tam_calls",
      "direct_calls",    "small_calls",    "plans_reused",        "bytes_written",   "bytes_read",
      "requests_before", "requests_after", "requests_in_domains", "node_pieces",     "node_bytes",
      "messages",        "message_bytes",  "storage_writes",      "storage_reads",   "pre_reads",
      "pre_read_bytes",  "rounds"};
  return names[static_cast<std::size_t>(counter)];
}

}  // namespace headrace::report
