#include "mpi/errors.hpp"

#include <mpi.h>

#include <string>
#include <utility>

namespace headrace::mpi {
namespace {

constexpr std::pair<ErrorClass, int> error_classes[] = {
    {ErrorClass::ok, MPI_SUCCESS},
    {ErrorClass::other, MPI_ERR_OTHER},
    {ErrorClass::argument, MPI_ERR_ARG},
    {ErrorClass::io, MPI_ERR_IO},
    {ErrorClass::not_same, MPI_ERR_NOT_SAME},
    {ErrorClass::no_such_file, MPI_ERR_NO_SUCH_FILE},
    {ErrorClass::access, MPI_ERR_ACCESS},
    {ErrorClass::read_only, MPI_ERR_READ_ONLY},
    {ErrorClass::bad_file, MPI_ERR_BAD_FILE},
    {ErrorClass::no_memory, MPI_ERR_NO_MEM},
    {ErrorClass::quota, MPI_ERR_QUOTA},
    {ErrorClass::no_space, MPI_ERR_NO_SPACE},
};

ErrorClass error_class_of_mpi(int code) {
  int mpi_class = MPI_ERR_OTHER;
  if (MPI_Error_class(code, &mpi_class) != MPI_SUCCESS) return ErrorClass::other;
  for (const auto& [ours, theirs] : error_classes)
    if (theirs == mpi_class) return ours;
  return ErrorClass::other;
}

std::string error_text(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
    return "MPI error code " + std::to_string(code);
  return text;
}

}  // namespace

int mpi_error_class(ErrorClass error_class) noexcept {
  for (const auto& [ours, theirs] : error_classes)
    if (ours == error_class) return theirs;
  return MPI_ERR_OTHER;
}

Status status_of_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  return {error_class_of_mpi(code), std::string(what) + ": " + error_text(code)};
}

}  // namespace headrace::mpi
