// Memory that all ranks of the world share.
#pragma once

#include <cstddef>
#include <string>

namespace headrace::test {

/// A file that every rank maps, and that has no name any more once all have: made by all ranks
/// together. MPI's shared windows end at a node; but the nodes of `headrace cluster` are one
/// machine, whose processes share what they map.
class MappedFile {
 public:
  /// `size` bytes of zeros. Stops the program if they cannot be had.
  MappedFile(const std::string& path, std::size_t size);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  void* data() const noexcept { return data_; }

 private:
  std::size_t size_;
  void* data_;
};

}  // namespace headrace::test
