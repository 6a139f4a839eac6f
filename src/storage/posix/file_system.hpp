// What the kernel tells about the file system below a descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "storage/storage.hpp"

namespace headrace::storage {

/// Stripes on Lustre, no stripes elsewhere; blocks as stat(2) has them in st_blksize. Everything it
/// cannot find out is zero; it never fails.
Traits traits_of(int fd) noexcept;

/// Whether several machines may write disjoint bytes of one file at once, each through its own
/// descriptor, and all of them arrive. `type` is statfs's f_type.
///
/// False for the network file systems whose clients cache whole pages and give no promise before
/// close: NFS, SMB and CIFS, AFS, Coda. True for FUSE: its kernel client sends each write as the
/// bytes it is unless the file system asked for a write-back cache, most of what is mounted so is
/// local (containers' overlays) or coherent by design (CephFS, Gluster, DAOS), and the host MPI, to
/// which a call would go instead, does not treat it specially either.
bool is_coherent(std::uint32_t type) noexcept;

/// The stripes in the extended attribute "lustre.lov" of a file: the head of a lov_user_md of
/// version 1 or 3, in this machine's byte order. Zeros for what is neither (a composite layout has
/// no one stripe size) or has no stripes.
struct Stripes {
  std::int64_t size = 0;
  std::int64_t count = 0;
};
Stripes stripes_of_lov(std::span<const std::byte> attribute) noexcept;

}  // namespace headrace::storage
