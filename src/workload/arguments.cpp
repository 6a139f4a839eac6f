#include "workload/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

namespace headrace::workload {
namespace {

constexpr std::int64_t longest_edge = std::int64_t{1} << 20;

/// `text` as a whole number without sign.
std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end || value < 0 || text[0] == '-') return std::nullopt;
  return value;
}

/// Bytes of a unit; nullopt if there is no such unit.
std::optional<std::int64_t> unit_bytes(std::string_view unit) {
  std::string lower(unit);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (lower.empty() || lower == "b") return 1;
  const std::size_t power = std::string_view("kmgt").find(lower[0]);
  if (power == std::string_view::npos) return std::nullopt;
  const std::string rest = lower.substr(1);
  if (!rest.empty() && rest != "ib" && rest != "b") return std::nullopt;
  std::int64_t bytes = 1;
  for (std::size_t i = 0; i <= power; ++i) bytes *= rest == "b" ? 1000 : 1024;
  return bytes;
}

std::vector<std::string_view> split_at_x(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// `count` numbers from 1 on joined by x; nullopt if the text is anything else.
std::optional<Edges> parse_edges(std::string_view text, std::size_t count) {
  Edges edges;
  for (const std::string_view part : split_at_x(text)) {
    const auto edge = parse_number(part);
    if (!edge || *edge < 1 || *edge > longest_edge) return std::nullopt;
    edges.push_back(*edge);
  }
  if (edges.size() != count) return std::nullopt;
  return edges;
}

std::string range_text(std::int64_t least, std::int64_t most) {
  return most == std::numeric_limits<std::int64_t>::max() ? fmt::format("{} or more", least)
                                                          : fmt::format("{} to {}", least, most);
}

}  // namespace

std::optional<std::int64_t> parse_size(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_number(text.substr(0, digits));
  const auto unit = unit_bytes(text.substr(digits));
  std::int64_t bytes = 0;
  if (!number || !unit || __builtin_mul_overflow(*number, *unit, &bytes)) return std::nullopt;
  return bytes;
}

std::string Arguments::text(std::string_view name) const {
  const auto set = settings_.find(name);
  if (set != settings_.end()) return set->second;
  const auto row = std::find_if(kind_.parameters.begin(), kind_.parameters.end(),
                                [name](const Parameter& row) { return row.name == name; });
  return std::string(row->default_value);
}

std::int64_t Arguments::integer(std::string_view name, std::int64_t least, std::int64_t most) {
  const auto value = parse_number(text(name));
  if (value && *value >= least && *value <= most) return *value;
  refuse(name, fmt::format("a whole number, {}", range_text(least, most)));
  return least;
}

std::int64_t Arguments::bytes(std::string_view name, std::int64_t least, std::int64_t most) {
  const auto value = parse_size(text(name));
  if (value && *value >= least && *value <= most) return *value;
  refuse(name,
         fmt::format("a size such as 4096, 64k, 1MiB or 1MB, {} bytes", range_text(least, most)));
  return least;
}

std::size_t Arguments::word(std::string_view name, std::span<const std::string_view> words) {
  const auto found = std::find(words.begin(), words.end(), text(name));
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  refuse(name, fmt::format("one of {}", fmt::join(words, ", ")));
  return 0;
}

Edges Arguments::edges(std::string_view name, std::size_t dimensions) {
  const std::string given = text(name);
  if (const auto one = parse_edges(given, 1)) return Edges(dimensions, one->front());
  if (auto all = parse_edges(given, dimensions)) return *std::move(all);
  refuse(name, fmt::format("one whole number, or {} joined by x, each 1 to {}", dimensions,
                           longest_edge));
  return Edges(dimensions, 1);
}

std::optional<Edges> Arguments::grid(std::string_view name, std::size_t dimensions) {
  const std::string given = text(name);
  if (given.empty()) return std::nullopt;
  if (auto all = parse_edges(given, dimensions)) return all;
  refuse(name, fmt::format("{} whole numbers joined by x, each 1 to {}", dimensions, longest_edge));
  return std::nullopt;
}

Status Arguments::complaint(std::string_view what) const {
  return {ErrorClass::other, fmt::format("{}: {}", kind_.name, what)};
}

void Arguments::refuse(std::string_view name, std::string_view allowed) {
  status_.update(complaint(
      fmt::format("parameter {} cannot be '{}': allowed is {}", name, text(name), allowed)));
}

}  // namespace headrace::workload
