// headrace.h: handles, null checks, and no exception past this file.
#include <cstring>
#include <new>

#include "capi/file.hpp"
#include "capi/named_file.hpp"
#include "headrace/headrace.h"

static_assert(std::string_view(HEADRACE_VERSION) == HEADRACE_VERSION_TEXT,
              "headrace.h names another version than CMakeLists.txt");

struct headrace_file_state {
  std::unique_ptr<headrace::capi::File> file;
};

namespace {

using headrace::Direction;
using headrace::capi::File;
using headrace::capi::Transfer;
using headrace::capi::Verdict;

/// What headrace_error_message tells of calls that have no handle (any more).
thread_local std::string message_without_file;

int remember_without_file(Verdict verdict) {
  if (!verdict.ok()) message_without_file = std::move(verdict.message);
  return verdict.error_class;
}

template <class Body>
int guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  } catch (...) {
    return MPI_ERR_OTHER;
  }
}

/// Runs `body` on the file of a handle that is not null.
template <class Body>
int with_file(headrace_file handle, Body body) noexcept {
  if (handle == HEADRACE_FILE_NULL) return MPI_ERR_FILE;
  return guarded([&] { return handle->file->remember(body(*handle->file)); });
}

enum class Scope { all, alone };

int run(headrace_file handle, Scope scope, const Transfer& transfer, int64_t* bytes_done) noexcept {
  int64_t bytes = 0;
  const int error_class = with_file(handle, [&](File& file) {
    return scope == Scope::all ? file.transfer_all(transfer, bytes)
                               : file.transfer_alone(transfer, bytes);
  });
  if (bytes_done != nullptr) *bytes_done = bytes;
  return error_class;
}

/// The engine takes one kind of buffer and leaves those of writes alone.
std::byte* source(const void* buffer) {
  return static_cast<std::byte*>(const_cast<void*>(buffer));
}

}  // namespace

extern "C" {

int headrace_open(MPI_Comm comm, const char* path, int amode, MPI_Info info, headrace_file* file) {
  *file = HEADRACE_FILE_NULL;
  return guarded([&] {
    auto state = std::make_unique<headrace_file_state>();
    const int error_class = remember_without_file(File::open(comm, path, amode, info, state->file));
    if (error_class == MPI_SUCCESS) *file = state.release();
    return error_class;
  });
}

int headrace_close(headrace_file* file) {
  if (file == nullptr || *file == HEADRACE_FILE_NULL) return MPI_ERR_FILE;
  return guarded([&] {
    const std::unique_ptr<headrace_file_state> state(*file);
    *file = HEADRACE_FILE_NULL;
    return remember_without_file(state->file->close());
  });
}

int headrace_delete(const char* path) {
  return guarded([&] {
    if (path == nullptr) return remember_without_file({MPI_ERR_BAD_FILE, "the path is NULL"});
    return remember_without_file(headrace::capi::remove(path));
  });
}

int headrace_write_all(headrace_file file, int64_t nfile, const int64_t* file_offsets,
                       const int64_t* file_lengths, const void* buffer, int64_t nmem,
                       const int64_t* mem_offsets, const int64_t* mem_lengths,
                       int64_t* bytes_done) {
  return run(file, Scope::all,
             {Direction::write,
              {nfile, file_offsets, file_lengths},
              {nmem, mem_offsets, mem_lengths},
              source(buffer)},
             bytes_done);
}

int headrace_read_all(headrace_file file, int64_t nfile, const int64_t* file_offsets,
                      const int64_t* file_lengths, void* buffer, int64_t nmem,
                      const int64_t* mem_offsets, const int64_t* mem_lengths, int64_t* bytes_done) {
  return run(file, Scope::all,
             {Direction::read,
              {nfile, file_offsets, file_lengths},
              {nmem, mem_offsets, mem_lengths},
              static_cast<std::byte*>(buffer)},
             bytes_done);
}

int headrace_write(headrace_file file, int64_t nfile, const int64_t* file_offsets,
                   const int64_t* file_lengths, const void* buffer, int64_t nmem,
                   const int64_t* mem_offsets, const int64_t* mem_lengths, int64_t* bytes_done) {
  return run(file, Scope::alone,
             {Direction::write,
              {nfile, file_offsets, file_lengths},
              {nmem, mem_offsets, mem_lengths},
              source(buffer)},
             bytes_done);
}

int headrace_read(headrace_file file, int64_t nfile, const int64_t* file_offsets,
                  const int64_t* file_lengths, void* buffer, int64_t nmem,
                  const int64_t* mem_offsets, const int64_t* mem_lengths, int64_t* bytes_done) {
  return run(file, Scope::alone,
             {Direction::read,
              {nfile, file_offsets, file_lengths},
              {nmem, mem_offsets, mem_lengths},
              static_cast<std::byte*>(buffer)},
             bytes_done);
}

int headrace_sync(headrace_file file) {
  return with_file(file, [](File& opened) { return opened.sync(); });
}

int headrace_set_size(headrace_file file, int64_t size) {
  return with_file(file, [size](File& opened) { return opened.set_size(size); });
}

int headrace_get_size(headrace_file file, int64_t* size) {
  return with_file(file, [size](File& opened) { return opened.get_size(*size); });
}

int headrace_report(headrace_file file, const char** json) {
  return with_file(file, [json](File& opened) { return opened.report(*json); });
}

const char* headrace_error_message(headrace_file file) {
  return file == HEADRACE_FILE_NULL ? message_without_file.c_str() : file->file->error_message();
}

const char* headrace_version(void) {
  return HEADRACE_VERSION;
}

}  // extern "C"
