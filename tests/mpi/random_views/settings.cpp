#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

namespace headrace::test {
namespace {

constexpr const char* usage =
    "random_views [--cases N] [--seed S] [--case K] [--method two_phase|tam|auto] [--only-write]\n"
    "             [--only-read] [--keep-going] [--lenient] [--directory D] [--hang-seconds T]\n"
    "Compares random collective reads and writes with what each rank's bytes placed one by one\n"
    "give. Exits with 1 if any differs.\n";

using Setter = std::function<void(const char* value)>;

std::map<std::string, Setter> setters_with_value(Settings& s) {
  return {
      {"--cases", [&s](const char* v) { s.cases = std::atoll(v); }},
      {"--seed", [&s](const char* v) { s.seed = std::strtoull(v, nullptr, 10); }},
      {"--case", [&s](const char* v) { s.only_case = std::atoll(v); }},
      {"--method", [&s](const char* v) { s.method = v; }},
      {"--directory", [&s](const char* v) { s.directory = v; }},
      {"--hang-seconds", [&s](const char* v) { s.hang_seconds = std::atoi(v); }},
  };
}

std::map<std::string, bool*> flags(Settings& s) {
  return {{"--only-write", &s.only_write},
          {"--only-read", &s.only_read},
          {"--keep-going", &s.keep_going},
          {"--lenient", &s.lenient}};
}

std::string default_directory() {
  const char* given = std::getenv("HEADRACE_TEST_DIR");
  return given != nullptr ? given : "/dev/shm";
}

}  // namespace

std::optional<Settings> parse_settings(int argc, char** argv) {
  Settings settings;
  const auto setters = setters_with_value(settings);
  const auto known_flags = flags(settings);
  for (int i = 1; i < argc; ++i) {
    const auto flag = known_flags.find(argv[i]);
    const auto setter = setters.find(argv[i]);
    if (flag != known_flags.end()) {
      *flag->second = true;
    } else if (setter != setters.end() && i + 1 < argc) {
      setter->second(argv[++i]);
    } else {
      std::fputs(usage, stderr);
      return std::nullopt;
    }
  }
  if (settings.directory.empty()) settings.directory = default_directory();
  return settings;
}

std::string repeat_options(const Settings& settings, std::int64_t number) {
  std::string options =
      "--seed " + std::to_string(settings.seed) + " --case " + std::to_string(number);
  if (!settings.method.empty()) options += " --method " + settings.method;
  if (settings.only_write) options += " --only-write";
  if (settings.only_read) options += " --only-read";
  if (settings.lenient) options += " --lenient";
  return options;
}

}  // namespace headrace::test
