#include "storage/posix/file_system.hpp"

#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace headrace::storage {
namespace {

constexpr std::uint32_t lustre_type = 0x0BD00BD0;

/// NFS, SMB, CIFS, SMB2, AFS (kernel and OpenAFS), Coda: the f_type of statfs(2).
constexpr std::array<std::uint32_t, 7> incoherent_types{
    0x6969, 0x517B, 0xFF534D42, 0xFE534D42, 0x5346414F, 0x6B414653, 0x73757245};

/// The head that lov_user_md versions 1 and 3 have in common (lustre_user.h).
struct LovHead {
  std::uint32_t magic;
  std::uint32_t pattern;
  std::array<std::uint64_t, 2> object;
  std::uint32_t stripe_size;
  std::uint16_t stripe_count;
  std::uint16_t layout_generation;
};
static_assert(sizeof(LovHead) == 32);

constexpr std::uint32_t lov_magic_v1 = 0x0BD10BD0;
constexpr std::uint32_t lov_magic_v3 = 0x0BD30BD0;
/// In a layout that was asked for but not made yet: over all targets.
constexpr std::uint16_t all_targets = 0xFFFF;

/// Room for one object descriptor (24 bytes) on each of the 2000 targets a file may have.
constexpr std::size_t largest_lov = 48 + std::size_t{24} * 2000;

Stripes lustre_stripes(int fd) noexcept {
  std::array<std::byte, largest_lov> attribute;
  const ssize_t size = ::fgetxattr(fd, "lustre.lov", attribute.data(), attribute.size());
  if (size < 0) return {};
  return stripes_of_lov(std::span(attribute).first(static_cast<std::size_t>(size)));
}

}  // namespace

Stripes stripes_of_lov(std::span<const std::byte> attribute) noexcept {
  LovHead head;
  if (attribute.size() < sizeof head) return {};
  std::memcpy(&head, attribute.data(), sizeof head);
  if (head.magic != lov_magic_v1 && head.magic != lov_magic_v3) return {};
  if (head.stripe_size == 0 || head.stripe_count == 0 || head.stripe_count == all_targets) {
    return {};
  }
  return {head.stripe_size, head.stripe_count};
}

bool is_coherent(std::uint32_t type) noexcept {
  return std::find(incoherent_types.begin(), incoherent_types.end(), type) ==
         incoherent_types.end();
}

Traits traits_of(int fd) noexcept {
  struct statfs file_system {};
  if (::fstatfs(fd, &file_system) != 0) return {};
  const auto type = static_cast<std::uint32_t>(file_system.f_type);
  const Stripes stripes = type == lustre_type ? lustre_stripes(fd) : Stripes{};
  struct stat file {};
  const std::int64_t block_size = ::fstat(fd, &file) == 0 ? file.st_blksize : 0;
  return {.stripe_size = stripes.size,
          .stripe_count = stripes.count,
          .coherent = is_coherent(type),
          .block_size = block_size};
}

}  // namespace headrace::storage
