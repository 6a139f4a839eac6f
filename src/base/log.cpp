#include "base/log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <mutex>

namespace headrace {
namespace {

constexpr std::array<std::string_view, 3> level_names{"error", "warning", "info"};

std::mutex capture_mutex;
LogCapture* innermost_capture = nullptr;

}  // namespace

LogLevel log_level_named(std::string_view name) noexcept {
  for (std::size_t level = 0; level < level_names.size(); ++level) {
    if (level_names[level] == name) return static_cast<LogLevel>(level);
  }
  return LogLevel::warning;
}

bool logs(LogLevel level) noexcept {
  static const LogLevel shown = [] {
    const char* name = std::getenv("HEADRACE_LOG");
    return log_level_named(name == nullptr ? "" : name);
  }();
  return level <= shown;
}

/// Gives the message to the innermost capture; false if there is none.
bool capture(const std::string& message) {
  const std::lock_guard guard(capture_mutex);
  if (innermost_capture == nullptr) return false;
  innermost_capture->messages_.push_back(message);
  return true;
}

void log_formatted(LogLevel level, fmt::string_view format, fmt::format_args arguments) noexcept {
  try {
    const std::string message = fmt::format("{}: {}", level_names[static_cast<std::size_t>(level)],
                                            fmt::vformat(format, arguments));
    if (capture(message) || !logs(level)) return;
    const std::string line = "headrace: " + message + "\n";
    // Where stderr cannot be written to there is nowhere left to say so.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {
    // Out of memory: logging must not make it worse.
  }
}

LogCapture::LogCapture() {
  const std::lock_guard guard(capture_mutex);
  outer_ = innermost_capture;
  innermost_capture = this;
}

LogCapture::~LogCapture() {
  const std::lock_guard guard(capture_mutex);
  innermost_capture = outer_;
}

std::vector<std::string> LogCapture::messages() const {
  const std::lock_guard guard(capture_mutex);
  return messages_;
}

}  // namespace headrace
