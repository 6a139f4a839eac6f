#include "preload/file_path.hpp"

#include <filesystem>
#include <system_error>

namespace headrace::preload {
namespace {

/// ROMIO's rule: everything up to the first colon, but a single letter is no prefix.
std::string_view without_prefix(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos || colon < 2) return name;
  return name.substr(colon + 1);
}

std::string absolute(std::string_view name) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(name, error);
  return error ? std::string() : path.string();
}

bool exists(std::string_view name) {
  std::error_code error;
  return std::filesystem::exists(name, error);
}

}  // namespace

bool has_prefix(std::string_view name) {
  return without_prefix(name).size() != name.size();
}

std::string file_system_path(std::string_view name) {
  const std::string_view rest = without_prefix(name);
  if (!has_prefix(name)) return absolute(name);
  const bool whole_exists = exists(name);
  const bool rest_exists = exists(rest);
  if (whole_exists && rest_exists) return {};
  return absolute(whole_exists ? name : rest);
}

}  // namespace headrace::preload
