// What an operation reports: a class of error that maps one to one to an MPI error class, and a
// sentence for the log. Success costs one pointer-sized null and no allocation.
#pragma once

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace headrace {

/// The classes of error that Headrace tells apart, in the order of precedence: when several ranks
/// fail in one collective call, every rank reports the greatest (engine/agreement).
enum class ErrorClass : std::int32_t {
  ok = 0,
  other,         ///< MPI_ERR_OTHER
  argument,      ///< MPI_ERR_ARG
  io,            ///< MPI_ERR_IO
  not_same,      ///< MPI_ERR_NOT_SAME
  no_such_file,  ///< MPI_ERR_NO_SUCH_FILE
  access,        ///< MPI_ERR_ACCESS
  read_only,     ///< MPI_ERR_READ_ONLY
  bad_file,      ///< MPI_ERR_BAD_FILE
  no_memory,     ///< MPI_ERR_NO_MEM
  quota,         ///< MPI_ERR_QUOTA
  no_space,      ///< MPI_ERR_NO_SPACE
};

/// The class of an errno value of a system call on a file. The only such table.
ErrorClass error_class_of_errno(int error_number) noexcept;

class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(ErrorClass error_class, std::string message);

  /// "<what>: <strerror>", with the class of `error_number`.
  static Status from_errno(int error_number, std::string what);

  bool ok() const noexcept { return failure_ == nullptr; }
  ErrorClass error_class() const noexcept { return ok() ? ErrorClass::ok : failure_->error_class; }
  /// Empty when ok.
  const std::string& message() const noexcept;

  /// Keeps the first failure of two.
  void update(Status other) {
    if (ok()) *this = std::move(other);
  }

 private:
  struct Failure {
    ErrorClass error_class;
    std::string message;
  };
  std::shared_ptr<const Failure> failure_;
};

/// A value, or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Status status) : content_(std::in_place_index<1>, std::move(status)) {}

  bool ok() const noexcept { return content_.index() == 0; }
  Status status() const { return ok() ? Status() : std::get<1>(content_); }
  /// Precondition of the three: ok().
  T& operator*() { return std::get<0>(content_); }
  const T& operator*() const { return std::get<0>(content_); }
  T* operator->() { return &std::get<0>(content_); }

 private:
  std::variant<T, Status> content_;
};

}  // namespace headrace
