#include "preload/file_report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/log.hpp"

namespace headrace::preload {
namespace {

struct Wanted {
  std::string json_file;  // empty: none
  bool table = false;
};

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

const Wanted& wanted() {
  static const Wanted read_once = [] {
    const std::string_view stats = environment("HEADRACE_STATS");
    return Wanted{std::string(environment("HEADRACE_REPORT")), !stats.empty() && stats != "0"};
  }();
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
  return wanted().table || !wanted().json_file.empty();
}

void write_report(const report::FileReport& file) {
  if (wanted().table) {
    const std::string text = report::table(file);
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  if (!wanted().json_file.empty() && !append(wanted().json_file, report::json_line(file)))
    log_warning("HEADRACE_REPORT={}: {}", wanted().json_file, std::strerror(errno));
}

}  // namespace headrace::preload
