// From the file name that MPI_File_open was given to a path for system calls.
#pragma once

#include <string>
#include <string_view>

namespace headrace::preload {

/// `name` without a file system prefix such as "ufs:", made absolute, since the working directory
/// may change while the file is open. The file must exist by now if has_prefix(name): ROMIO drops
/// such a prefix and OMPIO takes it for a part of the name, so the file that exists is the one that
/// was opened. Empty where both exist: then nobody can tell.
std::string file_system_path(std::string_view name);

/// Whether `name` may have such a prefix.
bool has_prefix(std::string_view name);

}  // namespace headrace::preload
