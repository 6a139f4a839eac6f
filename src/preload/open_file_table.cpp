#include "preload/open_file_table.hpp"

#include <algorithm>

namespace headrace::preload {

OpenFileTable::Key OpenFileTable::key_of(MPI_File handle) noexcept {
  Key key;
  std::memcpy(key.data(), &handle, key.size());
  return key;
}

void OpenFileTable::add(const std::shared_ptr<OpenFile>& file) {
  const std::lock_guard lock(mutex_);
  files_[key_of(file->handle())] = file;
}

void OpenFileTable::remove(const OpenFile& file) {
  const std::lock_guard lock(mutex_);
  const Key key = key_of(file.handle());
  files_.erase(key);
  std::erase_if(by_fortran_, [&](const auto& entry) { return entry.second == key; });
}

std::shared_ptr<OpenFile> OpenFileTable::find(MPI_File handle) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(key_of(handle));
  if (found != files_.end()) return found->second;
  if (handle == MPI_FILE_NULL) return nullptr;
  for (const auto& [key, file] : files_)
    if (file->host().is(handle)) return file;
  return nullptr;
}

bool OpenFileTable::has_given(MPI_File handle) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(key_of(handle));
  return found != files_.end() && found->second->has_handle_of_headrace();
}

std::vector<std::shared_ptr<OpenFile>> OpenFileTable::all() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<OpenFile>> files;
  for (const auto& [key, file] : files_) files.push_back(file);
  return files;
}

MPI_Fint OpenFileTable::fortran_handle(const OpenFile& file) {
  const std::lock_guard lock(mutex_);
  const Key key = key_of(file.handle());
  const auto same = [&](const auto& entry) { return entry.second == key; };
  const auto found = std::ranges::find_if(by_fortran_, same);
  if (found != by_fortran_.end()) return found->first;
  by_fortran_[next_fortran_] = key;
  return next_fortran_++;
}

std::shared_ptr<OpenFile> OpenFileTable::find_fortran(MPI_Fint handle) {
  const std::lock_guard lock(mutex_);
  const auto found = by_fortran_.find(handle);
  return found != by_fortran_.end() ? files_.at(found->second) : nullptr;
}

OpenFileTable& open_files() {
  static auto* const table = new OpenFileTable;
  return *table;
}

MPI_File host_handle(MPI_File file) noexcept {
  return host_handle(file, open_files().find(file));
}

MPI_File host_handle(MPI_File file, const std::shared_ptr<OpenFile>& known) noexcept {
  if (known == nullptr) return file;
  const Result<MPI_File> handle = known->host().handle();
  return handle.ok() ? *handle : MPI_FILE_NULL;
}

}  // namespace headrace::preload
