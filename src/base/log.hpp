// Messages for the user, on stderr: "headrace: warning: ...". One line, one write, so that the
// lines of many ranks do not mix. HEADRACE_LOG=error|warning|info says what is shown (default
// warning). Who first decides that something is amiss logs it; callers stay quiet.
//
// Thread-safe. Nothing here throws: a message that cannot be made is lost.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

namespace headrace {

enum class LogLevel { error, warning, info };

/// The level that HEADRACE_LOG's value names; `warning` where it names none.
LogLevel log_level_named(std::string_view name) noexcept;

/// Whether messages of this level are shown.
bool logs(LogLevel level) noexcept;

/// Use the three functions below.
void log_formatted(LogLevel level, fmt::string_view format, fmt::format_args arguments) noexcept;

template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log_formatted(LogLevel::error, format, fmt::make_format_args(args...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log_formatted(LogLevel::warning, format, fmt::make_format_args(args...));
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log_formatted(LogLevel::info, format, fmt::make_format_args(args...));
}

/// For tests: while it lives, every message of this process comes here, whatever HEADRACE_LOG says,
/// and none to stderr. The youngest of several has them all; they must die in reverse order.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  /// "warning: ...", in the order in which they came.
  std::vector<std::string> messages() const;

 private:
  friend bool capture(const std::string& message);
  LogCapture* outer_;
  std::vector<std::string> messages_;
};

}  // namespace headrace
