// The command line of random_views.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace headrace::test {

struct Settings {
  std::int64_t cases = 200;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> only_case;
  std::string method;  ///< the hint headrace_method; empty: random
  bool only_write = false;
  bool only_read = false;
  bool keep_going = false;
  /// Does not look at counts of reads that meet the end of the file, where hosts are known to err.
  bool lenient = false;
  std::string directory;  ///< of the files; empty: HEADRACE_TEST_DIR, or /dev/shm
  int hang_seconds = 60;
};

/// Complains and gives nothing if the command line is wrong.
std::optional<Settings> parse_settings(int argc, char** argv);

/// The options which repeat one case.
std::string repeat_options(const Settings& settings, std::int64_t number);

}  // namespace headrace::test
