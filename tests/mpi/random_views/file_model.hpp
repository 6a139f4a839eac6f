// What the file must hold, kept byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headrace::test {

using Bytes = std::vector<unsigned char>;

/// All of a file, read with POSIX calls; stops the program if it cannot be read.
Bytes read_whole_file(const std::string& path);
void write_whole_file(const std::string& path, const Bytes& bytes);

class FileModel {
 public:
  const Bytes& bytes() const noexcept { return bytes_; }

  /// Takes `bytes` as what the file holds now.
  void adopt(Bytes bytes);

  /// One rank writes one byte during the present call. Where several ranks write different bytes,
  /// any of them may win.
  void place(std::int64_t offset, unsigned char byte);

  /// What is wrong with the file's `actual` bytes after the call; nothing if it is as it must be.
  std::optional<std::string> differs(const Bytes& actual) const;

 private:
  bool allowed(std::int64_t offset, unsigned char byte) const;

  Bytes bytes_;
  std::vector<bool> placed_;
  /// The bytes of later writers where several wrote.
  std::multimap<std::int64_t, unsigned char> rivals_;
};

}  // namespace headrace::test
