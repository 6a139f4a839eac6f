#include "base/status.hpp"

#include <system_error>

namespace headrace {

ErrorClass error_class_of_errno(int error_number) noexcept {
  switch (error_number) {
    case 0:
      return ErrorClass::ok;
    case ENOSPC:
    case EFBIG:
      return ErrorClass::no_space;
    case EDQUOT:
      return ErrorClass::quota;
    case ENOENT:
      return ErrorClass::no_such_file;
    case EACCES:
    case EPERM:
      return ErrorClass::access;
    case EROFS:
      return ErrorClass::read_only;
    case EISDIR:
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG:
      return ErrorClass::bad_file;
    case ENOMEM:
      return ErrorClass::no_memory;
    default:
      return ErrorClass::io;
  }
}

Status::Status(ErrorClass error_class, std::string message)
    : failure_(std::make_shared<const Failure>(Failure{error_class, std::move(message)})) {}

Status Status::from_errno(int error_number, std::string what) {
  what += ": ";
  what += std::generic_category().message(error_number);
  return {error_class_of_errno(error_number), std::move(what)};
}

const std::string& Status::message() const noexcept {
  static const std::string none;
  return ok() ? none : failure_->message;
}

}  // namespace headrace
