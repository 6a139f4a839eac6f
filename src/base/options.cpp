#include "base/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>

namespace headrace {
namespace {

using Parse = std::function<bool(Options&, std::string_view)>;
using Print = std::function<std::string(const Options&)>;

constexpr std::int64_t no_limit = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t smallest_buffer = 64;
constexpr std::int64_t largest_buffer = std::int64_t{512} << 20;
constexpr std::int64_t longest_stripe_time = 60'000'000;

char lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

/// The whole of `text` as a decimal integer.
std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// An integer, or one followed by k, M or G (powers of 1024).
std::optional<std::int64_t> parse_bytes(std::string_view text) {
  constexpr std::array<char, 3> suffixes{'k', 'm', 'g'};
  const auto suffix =
      std::find(suffixes.begin(), suffixes.end(), text.empty() ? ' ' : lower(text.back()));
  if (suffix == suffixes.end()) return parse_integer(text);
  const std::optional<std::int64_t> value = parse_integer(text.substr(0, text.size() - 1));
  const std::int64_t unit = std::int64_t{1024} << (10 * (suffix - suffixes.begin()));
  if (!value || *value > std::numeric_limits<std::int64_t>::max() / unit || *value < 0) return {};
  return *value * unit;
}

template <class T>
struct Word {
  std::string_view name;
  T value;
};
constexpr std::array<Word<Method>, 3> methods{{
    {"auto", Method::automatic},
    {"two_phase", Method::two_phase},
    {"tam", Method::tam},
}};
constexpr std::array<Word<AggregatorPlacement>, 2> placements{{
    {"spread", AggregatorPlacement::spread},
    {"round_robin", AggregatorPlacement::round_robin},
}};
constexpr std::array<Word<FileDomains>, 3> file_domains{{
    {"auto", FileDomains::automatic},
    {"local", FileDomains::local},
    {"even", FileDomains::even},
}};
constexpr std::array<Word<Toggle>, 3> toggles{{
    {"enable", Toggle::enable},
    {"disable", Toggle::disable},
    {"automatic", Toggle::automatic},
}};
constexpr std::array<Word<bool>, 2> booleans{{{"true", true}, {"false", false}}};

/// A row whose value is one of `words`, names and values, which must live for ever.
template <class T, class Words>
OptionRow word_row(std::string_view name, std::string_view default_value, std::string_view allowed,
                   T Options::*member, const Words& words, std::string_view meaning) {
  const Parse parse = [member, &words](Options& options, std::string_view text) {
    const auto word = std::find_if(words.begin(), words.end(),
                                   [&](const auto& word) { return same_word(word.name, text); });
    if (word == words.end()) return false;
    options.*member = word->value;
    return true;
  };
  const Print print = [member, &words](const Options& options) {
    const auto word = std::find_if(words.begin(), words.end(),
                                   [&](const auto& word) { return word.value == options.*member; });
    return std::string(word->name);
  };
  return {name, default_value, allowed, meaning, parse, print};
}

struct Range {
  std::int64_t least;
  std::int64_t most;
};

template <class ParseNumber>
OptionRow number_row(std::string_view name, std::string_view default_value,
                     std::string_view allowed, std::int64_t Options::*member, Range range,
                     ParseNumber parse_number, std::string_view meaning) {
  const Parse parse = [=](Options& options, std::string_view text) {
    const std::optional<std::int64_t> value = parse_number(text);
    if (!value || *value < range.least || *value > range.most) return false;
    options.*member = *value;
    return true;
  };
  const Print print = [member](const Options& options) {
    return fmt::format("{}", options.*member);
  };
  return {name, default_value, allowed, meaning, parse, print};
}

bool is_host_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
  };
  return text == "*" || (!text.empty() && std::all_of(text.begin(), text.end(), allowed));
}

/// One entry of cb_config_list: "host", "host:processes" or "host:*", the host perhaps "*".
bool is_config_entry(std::string_view entry) {
  const std::size_t colon = entry.find(':');
  if (!is_host_name(entry.substr(0, colon))) return false;
  if (colon == std::string_view::npos || entry.substr(colon + 1) == "*") return true;
  const std::optional<std::int64_t> processes = parse_integer(entry.substr(colon + 1));
  return processes && *processes >= 0 && *processes <= no_limit;
}

bool parse_config_list(Options& options, std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (!is_config_entry(text.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  options.cb_config_list = text;
  return true;
}

std::vector<OptionRow> make_table() {
  constexpr std::string_view toggle = "enable, disable or automatic";
  return {
      word_row("headrace_method", "auto", "auto, two_phase or tam", &Options::method, methods,
               "how collective calls are served"),
      number_row("headrace_local_aggregators", "0", "0 to 2147483647", &Options::local_aggregators,
                 {0, no_limit}, parse_integer,
                 "local aggregators over all nodes (P_L); 0: Headrace chooses"),
      word_row("headrace_aggregator_placement", "spread", "spread or round_robin",
               &Options::aggregator_placement, placements,
               "how global aggregators are laid over the nodes"),
      number_row("cb_nodes", "0", "0 to 2147483647", &Options::cb_nodes, {0, no_limit},
                 parse_integer,
                 "global aggregators (P_G); 0: one a node, or the stripe count on Lustre"),
      word_row("headrace_file_domains", "auto", "auto, local or even", &Options::file_domains,
               file_domains,
               "each part of a file to the node with most of its data, or parts of one size"),
      number_row("cb_buffer_size", "8388608", "bytes (k, M and G may follow), 64 to 512M",
                 &Options::cb_buffer_size, {smallest_buffer, largest_buffer}, parse_bytes,
                 "size of a collective buffer: the largest window of a round"),
      number_row("headrace_plan_cache", "8388608", "bytes (k, M and G may follow), 0 to 512M",
                 &Options::plan_cache, {0, largest_buffer}, parse_bytes,
                 "requests that a rank may keep to serve calls of the same pattern again; 0: none"),
      {"cb_config_list", "*:1", "host:processes,host:processes,... (* may stand for either)",
       "hosts, and processes of each, that may be global aggregators", parse_config_list,
       [](const Options& options) { return options.cb_config_list; }},
      word_row("romio_cb_write", "automatic", toggle, &Options::cb_write, toggles,
               "collective buffering of writes; enable: of large requests, too; disable: leaves "
               "them to the host MPI"),
      word_row("romio_cb_read", "automatic", toggle, &Options::cb_read, toggles,
               "collective buffering of reads; enable: of large requests, too; disable: leaves "
               "them to the host MPI"),
      word_row("romio_ds_write", "automatic", toggle, &Options::ds_write, toggles,
               "read-modify-write of windows with holes (data sieving)"),
      word_row("romio_ds_read", "automatic", toggle, &Options::ds_read, toggles,
               "reading of holes together with what surrounds them (data sieving)"),
      word_row("romio_no_indep_rw", "false", "true or false", &Options::no_indep_rw, booleans,
               "no independent accesses: only aggregators need the file"),
      word_row("headrace_schedule", "offset", "offset, mdf, lw_mdf, gw_mdf or best",
               &Options::schedule, schedules,
               "in which order global aggregators serve their windows"),
      word_row("headrace_early_return", "false", "true or false", &Options::early_return, booleans,
               "each rank returns when its own data is sent or received"),
      number_row("striping_unit", "0", "bytes (k, M and G may follow), 0 to 4095M",
                 &Options::striping_unit, {0, std::int64_t{4095} << 20}, parse_bytes,
                 "size of a stripe of a new file; 0: the file system's own"),
      number_row("striping_factor", "0", "-1 to 2147483647", &Options::striping_factor,
                 {-1, no_limit}, parse_integer,
                 "stripe count of a new file; 0: the file system's own, -1: all there are"),
      number_row("headrace_model_stripe_time", "0", "microseconds, 0 to 60000000",
                 &Options::model_stripe_time, {0, longest_stripe_time}, parse_integer,
                 "to try schedules: each stripe that an aggregator serves takes so long; 0: off"),
  };
}

constexpr std::string_view own_prefix = "headrace_";

bool is_own(std::string_view key) {
  return key.substr(0, own_prefix.size()) == own_prefix;
}

/// How many letters must be put in, left out or exchanged to make one word of the other
/// (Levenshtein), row by row of the usual table.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchanged, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string unknown_key(std::string_view key) {
  std::vector<std::string_view> known;
  for (const OptionRow& row : option_table()) {
    if (is_own(row.name)) known.push_back(row.name);
  }
  const auto closest = std::min_element(known.begin(), known.end(), [key](auto a, auto b) {
    return distance(a, key) < distance(b, key);
  });
  return fmt::format("unknown hint {}: did you mean {}? Known are {}", key, *closest,
                     fmt::join(known, ", "));
}

}  // namespace

std::span<const OptionRow> option_table() {
  static const std::vector<OptionRow> table = make_table();
  return table;
}

std::optional<std::string> apply_hint(Options& options, const Hint& hint) {
  for (const OptionRow& row : option_table()) {
    if (row.name != hint.key) continue;
    if (row.parse(options, hint.value)) return std::nullopt;
    return fmt::format("hint {} cannot be '{}': allowed is {}", hint.key, hint.value, row.allowed);
  }
  if (is_own(hint.key)) return unknown_key(hint.key);
  return std::nullopt;
}

void put(std::vector<Hint>& hints, const Hint& hint) {
  const auto same = std::ranges::find(hints, hint.key, &Hint::key);
  if (same != hints.end())
    same->value = hint.value;
  else
    hints.push_back(hint);
}

std::vector<Hint> effective_hints(const Options& options) {
  std::vector<Hint> hints;
  for (const OptionRow& row : option_table()) {
    hints.push_back({std::string(row.name), row.print(options)});
  }
  return hints;
}

std::vector<Hint> chosen_hints(const Options& options) {
  std::vector<Hint> hints;
  const Options defaults;
  for (const OptionRow& row : option_table()) {
    std::string value = row.print(options);
    if (value != row.print(defaults)) hints.push_back({std::string(row.name), std::move(value)});
  }
  return hints;
}

}  // namespace headrace
