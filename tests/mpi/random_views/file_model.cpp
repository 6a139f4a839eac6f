#include "file_model.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace headrace::test {

Bytes read_whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::perror(path.c_str());
    std::abort();
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_whole_file(const std::string& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) {
    std::perror(path.c_str());
    std::abort();
  }
}

void FileModel::adopt(Bytes bytes) {
  bytes_ = std::move(bytes);
  placed_.assign(bytes_.size(), false);
  rivals_.clear();
}

void FileModel::place(std::int64_t offset, unsigned char byte) {
  const auto index = static_cast<std::size_t>(offset);
  if (index >= bytes_.size()) {
    bytes_.resize(index + 1);
    placed_.resize(index + 1);
  }
  if (placed_[index]) {
    rivals_.emplace(offset, byte);
  } else {
    bytes_[index] = byte;
    placed_[index] = true;
  }
}

std::optional<std::string> FileModel::differs(const Bytes& actual) const {
  for (std::size_t i = 0; i < bytes_.size() && i < actual.size(); ++i) {
    if (allowed(static_cast<std::int64_t>(i), actual[i])) continue;
    return "the file at offset " + std::to_string(i) + ": expected " + std::to_string(bytes_[i]) +
           (placed_[i] ? " (written by this call)" : " (not written by this call)") + ", got " +
           std::to_string(actual[i]);
  }
  if (actual.size() == bytes_.size()) return std::nullopt;
  return "the file's size: expected " + std::to_string(bytes_.size()) + ", got " +
         std::to_string(actual.size());
}

bool FileModel::allowed(std::int64_t offset, unsigned char byte) const {
  if (bytes_[static_cast<std::size_t>(offset)] == byte) return true;
  const auto [first, last] = rivals_.equal_range(offset);
  for (auto it = first; it != last; ++it) {
    if (it->second == byte) return true;
  }
  return false;
}

}  // namespace headrace::test
