#include "preload/open_file_table.hpp"

#include <utility>

namespace headrace::preload {

OpenFileTable::Key OpenFileTable::key_of(MPI_File handle) noexcept {
  Key key;
  std::memcpy(key.data(), &handle, key.size());
  return key;
}

void OpenFileTable::add(MPI_File handle, std::shared_ptr<OpenFile> file) {
  const std::lock_guard lock(mutex_);
  files_[key_of(handle)] = std::move(file);
}

std::shared_ptr<OpenFile> OpenFileTable::find(MPI_File handle) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(key_of(handle));
  return found != files_.end() ? found->second : nullptr;
}

std::shared_ptr<OpenFile> OpenFileTable::take(MPI_File handle) {
  const std::lock_guard lock(mutex_);
  auto node = files_.extract(key_of(handle));
  return node ? std::move(node.mapped()) : nullptr;
}

OpenFileTable& open_files() {
  static auto* const table = new OpenFileTable;
  return *table;
}

}  // namespace headrace::preload
