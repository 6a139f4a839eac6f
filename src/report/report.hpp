// What Headrace tells about one closed file: as one line of JSON (HEADRACE_REPORT) and as short
// tables for people (HEADRACE_STATS, HEADRACE_TIMERS). Pure text; nothing here writes anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/counters.hpp"
#include "report/timers.hpp"

namespace headrace::report {

/// Collective calls left to the host MPI for one reason.
struct HostCalls {
  std::string reason;      ///< engine::veto_name
  std::int64_t calls = 0;  ///< summed over ranks, as Counter::host_calls is
};

struct FileReport {
  std::string path;
  int ranks = 0;
  int nodes = 0;    ///< 0: never found out, because no call could be served
  std::string mpi;  ///< "openmpi" or "mpich"
  Counters totals;
  TimersByDirection timers;
  std::vector<HostCalls> host_calls;  ///< only reasons that occurred
};

/// The methods that served calls: "two_phase", "tam", "direct", and "host".
std::vector<std::string_view> methods_used(const Counters& totals);

/// An object on one line, with the newline:
/// {"path", "ranks", "nodes", "mpi", "version", "methods": [...], "counters": {counter_name: n,
/// ...},
///  "host_calls": {reason: n, ...},
///  "timers": {"write": {"ranks": {phase_name: {"min", "mean", "max"}, ..., "total": {...}},
///                       "aggregators": {...}, "response_time": {"min", "mean", "max"}},
///             "read": {...}}}, in seconds
std::string json_line(const FileReport& file);

/// A few lines of 80 columns, with the last newline.
std::string table(const FileReport& file);

/// One table for each direction that has timers, of at most 80 columns but for the line of the
/// path.
std::string timer_tables(const FileReport& file);

}  // namespace headrace::report
