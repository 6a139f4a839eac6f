// The storage of one file as one rank sees it: opened when the rank first needs it, for many never
// do.
#pragma once

#include <memory>
#include <string>

#include "engine/file_facts.hpp"
#include "report/phases.hpp"
#include "storage/storage.hpp"

namespace headrace::engine {

class FileStorage {
 public:
  /// `clock` outlives the object.
  FileStorage(storage::Opener opener, std::string path, storage::Access access,
              report::PhaseClock& clock)
      : opener_(opener), path_(std::move(path)), access_(access), clock_(clock) {}

  /// Unless it is open, or could not be opened before. With the stripes and the service time that
  /// the options give it, if they do.
  void open(const FileFacts& facts);

  /// Null while it is not open.
  storage::Storage* get() const noexcept { return storage_.get(); }
  bool is_open() const noexcept { return storage_ != nullptr; }
  const std::string& path() const noexcept { return path_; }

 private:
  storage::Opener opener_;
  std::string path_;
  storage::Access access_;
  report::PhaseClock& clock_;
  std::unique_ptr<storage::Storage> storage_;
  bool has_failed_ = false;
};

}  // namespace headrace::engine
