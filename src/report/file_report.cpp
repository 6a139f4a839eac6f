#include "report/file_report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/log.hpp"

namespace headrace::report {
namespace {

struct Wanted {
  std::string json_file;  // empty: none
  bool counters = false;
  bool timers = false;
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_on(const char* name) {
  const std::string value = environment(name);
  return !value.empty() && value != "0";
}

const Wanted& wanted() {
  static const Wanted read_once{environment("HEADRACE_REPORT"), is_on("HEADRACE_STATS"),
                                is_on("HEADRACE_TIMERS")};
  return read_once;
}

/// One write, so that the lines of several jobs do not mix.
bool append(const std::string& file, const std::string& text) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  const bool whole = write(descriptor, text.data(), text.size()) == std::ssize(text);
  return close(descriptor) == 0 && whole;
}

}  // namespace

bool reports_wanted() {
  return wanted().counters || wanted().timers || !wanted().json_file.empty();
}

void write_report(const report::FileReport& file) {
  std::string text;
  if (wanted().counters) text += table(file);
  if (wanted().timers) text += timer_tables(file);
  std::fwrite(text.data(), 1, text.size(), stderr);
  if (!wanted().json_file.empty() && !append(wanted().json_file, json_line(file)))
    log_warning("HEADRACE_REPORT={}: {}", wanted().json_file, std::strerror(errno));
}

}  // namespace headrace::report
