// What one rank does to a file by its name, for all of them.
#pragma once

#include <cstdint>
#include <string>

#include "capi/agreement.hpp"
#include "storage/storage.hpp"

namespace headrace::capi {

enum class Creation {
  never,  ///< the file must be there
  if_missing,
  exclusive  ///< the file must not be there
};

/// Sees to it that the file is there and can be accessed; `inode` identifies it from then on.
Verdict establish(const std::string& path, Creation creation, storage::Access access,
                  std::uint64_t& inode);

/// Both refuse a file other than `inode`.
Verdict resize(const std::string& path, std::uint64_t inode, std::int64_t size);
Verdict size_of(const std::string& path, std::uint64_t inode, std::int64_t& size);

Verdict remove(const std::string& path);

}  // namespace headrace::capi
