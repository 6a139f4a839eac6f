#include "report/report.hpp"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

namespace headrace::report {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Counters& totals) {
  Json object = Json::object();
  for (int i = 0; i < counter_count; ++i) {
    const auto counter = static_cast<Counter>(i);
    object[std::string(counter_name(counter))] = totals[counter];
  }
  return object;
}

Json json_of(const std::vector<HostCalls>& host_calls) {
  Json object = Json::object();
  for (const HostCalls& entry : host_calls) object[entry.reason] = entry.calls;
  return object;
}

Json json_of(const Spread& spread) {
  return {{"min", spread.min}, {"mean", spread.mean}, {"max", spread.max}};
}

Json json_of(const TimerTable& table) {
  Json object = Json::object();
  for (int timer = 0; timer < timer_count; ++timer)
    object[std::string(timer_name(timer))] = json_of(table[timer]);
  return object;
}

Json json_of_timers(const FileReport& file) {
  Json object = Json::object();
  for (const Direction direction : {Direction::write, Direction::read})
    if (const auto& timers = file.timers[static_cast<std::size_t>(direction)])
      object[direction_name(direction)] = {{"ranks", json_of(timers->ranks)},
                                           {"aggregators", json_of(timers->aggregators)},
                                           {"response_time", json_of(timers->response_time)}};
  return object;
}

constexpr int counter_column = 19;
constexpr int timer_column = 16;

std::string line(std::string_view name, const std::string& value, int column = counter_column) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "  %-*.*s %s\n", column, static_cast<int>(name.size()),
                name.data(), value.c_str());
  return text.data();
}

/// Nine characters wide: microseconds matter below a hundred seconds only.
std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%9.*f", seconds < 99 ? 6 : 2, seconds);
  return text.data();
}

std::string spread_text(const Spread& spread) {
  return seconds_text(spread.min) + " " + seconds_text(spread.mean) + " " +
         seconds_text(spread.max);
}

std::string timer_table(const Timers& timers) {
  constexpr const char* groups = " -------- all ranks ---------  ---- global aggregators ----";
  constexpr const char* columns = "      min      mean       max       min      mean       max";
  std::string text = line("", groups, timer_column) + line("seconds", columns, timer_column);
  for (int timer = 0; timer < timer_count; ++timer)
    text += line(timer_name(timer),
                 spread_text(timers.ranks[timer]) + " " + spread_text(timers.aggregators[timer]),
                 timer_column);
  return text + line("response a call", spread_text(timers.response_time), timer_column);
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

}  // namespace

std::vector<std::string_view> methods_used(const Counters& totals) {
  constexpr std::array<std::pair<Counter, std::string_view>, 5> methods{
      {{Counter::two_phase_calls, "two_phase"},
       {Counter::tam_calls, "tam"},
       {Counter::direct_calls, "direct"},
       {Counter::small_calls, "small"},
       {Counter::host_calls, "host"}}};
  std::vector<std::string_view> used;
  for (const auto& [counter, name] : methods)
    if (totals[counter] > 0) used.push_back(name);
  return used;
}

std::string json_line(const FileReport& file) {
  Json object;
  object["path"] = file.path;
  object["ranks"] = file.ranks;
  object["nodes"] = file.nodes;
  object["mpi"] = file.mpi;
  object["version"] = HEADRACE_VERSION_TEXT;
  object["methods"] = methods_used(file.totals);
  object["counters"] = json_of(file.totals);
  object["host_calls"] = json_of(file.host_calls);
  object["timers"] = json_of_timers(file);
  // A path may be any bytes; what is not UTF-8 is replaced rather than refused.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string table(const FileReport& file) {
  std::string text = "headrace: " + file.path + "\n";
  text += line("ranks, nodes", std::to_string(file.ranks) + ", " + std::to_string(file.nodes));
  text += line("methods", joined(methods_used(file.totals)));
  for (int i = 0; i < counter_count; ++i) {
    const auto counter = static_cast<Counter>(i);
    if (file.totals[counter] != 0)
      text += line(counter_name(counter), std::to_string(file.totals[counter]));
  }
  for (const HostCalls& entry : file.host_calls)
    text += line("host: " + entry.reason, std::to_string(entry.calls));
  return text;
}

std::string timer_tables(const FileReport& file) {
  std::string text;
  for (const Direction direction : {Direction::write, Direction::read})
    if (const auto& timers = file.timers[static_cast<std::size_t>(direction)]) {
      text += "headrace: collective " + std::string(direction_name(direction)) + "s, " + file.path +
              "\n";
      text += timer_table(*timers);
    }
  return text;
}

}  // namespace headrace::report
