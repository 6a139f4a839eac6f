#include "participant.hpp"

#include <algorithm>
#include <sstream>

namespace headrace::test {
namespace {

constexpr std::int64_t largest_access = 3000;      // bytes
constexpr std::int64_t largest_tile = 4096;        // bytes
constexpr std::int64_t farthest_offset = 1 << 15;  // bytes
constexpr int attempts = 30;

Datatype resized(MPI_Datatype type, std::int64_t extent) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  require(MPI_Type_create_resized(type, 0, extent, &made), "MPI_Type_create_resized");
  return Datatype::owned(made);
}

Datatype contiguous(int count, MPI_Datatype type) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  require(MPI_Type_contiguous(count, type, &made), "MPI_Type_contiguous");
  return Datatype::owned(made);
}

Datatype spaced(int count, MPI_Datatype type) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  require(MPI_Type_vector(count, 1, 2, type, &made), "MPI_Type_vector");
  return Datatype::owned(made);
}

Datatype committed(Datatype type) {
  MPI_Datatype handle = type.get();
  require(MPI_Type_commit(&handle), "MPI_Type_commit");
  return type;
}

bool tiles_do_not_meet(const View& view) {
  return view.tile.back() < view.tile_extent + view.tile.front();
}

}  // namespace

std::int64_t View::file_offset(std::int64_t k) const {
  const auto size = static_cast<std::int64_t>(tile.size());
  return displacement + k / size * tile_extent + tile[static_cast<std::size_t>(k % size)];
}

Etype random_etype(Random random) {
  Etype etype;
  etype.basic =
      random.pick({MPI_BYTE, MPI_BYTE, MPI_BYTE, MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE});
  const Datatype basic = Datatype::predefined(etype.basic);
  switch (random.between(0, 9)) {
    case 0:
      etype.type = contiguous(static_cast<int>(random.between(1, 3)), etype.basic);
      break;
    case 1:
      etype.type = resized(etype.basic, 2 * basic.size());
      break;
    case 2:
      etype.type = spaced(2, etype.basic);
      break;
    default:
      etype.type = Datatype::predefined(etype.basic);
      return etype;
  }
  etype.type = committed(std::move(etype.type));
  return etype;
}

Participant::Participant(std::uint64_t seed, std::uint64_t number, int rank)
    : random_{seed, number, static_cast<std::uint64_t>(rank) + 1} {}

void Participant::choose_view(const Etype& common) {
  basic_ = common.basic;
  view_.etype = committed(common.type.duplicate());
  view_.etype_size = view_.etype.size();
  view_.displacement = random_.chance(40) ? 0 : random_.between(0, 2000);
  choose_filetype();
  pointer_ = 0;
}

void Participant::choose_filetype() {
  const Taste taste{.unit = view_.etype.extent(), .ascending = true};
  for (int attempt = 0; attempt < attempts; ++attempt) {
    view_.filetype = random_datatype(random_, view_.etype, taste, 3);
    view_.tile_extent = view_.filetype.extent();
    if (!map_bytes(view_.filetype, 1, view_.tile) || view_.tile.empty()) continue;
    if (view_.tile_extent > largest_tile || view_.tile.back() > largest_tile) continue;
    if (bytes_ascend(view_.tile) && tiles_do_not_meet(view_)) return;
  }
  view_.filetype = committed(view_.etype.duplicate());
  view_.tile_extent = view_.filetype.extent();
  map_bytes(view_.filetype, 1, view_.tile);
}

void Participant::choose_access(bool write, bool explicit_offset) {
  seek_.reset();
  if (explicit_offset || random_.chance(50) || bytes_left(pointer_) == 0) {
    access_.offset = random_offset();
    if (!explicit_offset) seek_ = access_.offset;
  } else {
    access_.offset = pointer_;
  }
  choose_memory(write);
  const auto bytes = static_cast<std::int64_t>(access_.memory.size());
  access_.file.clear();
  for (std::int64_t k = 0; k < bytes; ++k) {
    access_.file.push_back(view_.file_offset(access_.offset * view_.etype_size + k));
  }
  if (!explicit_offset) pointer_ = access_.offset + bytes / view_.etype_size;
}

void Participant::choose_memory(bool write) {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const Datatype leaf = memory_leaf();
    access_.type = random_datatype(random_, leaf, Taste{}, 3);
    const std::int64_t size = std::max<std::int64_t>(access_.type.size(), 1);
    const std::int64_t most = std::min(largest_access, bytes_left(access_.offset)) / size;
    const bool nothing = random_.chance(15) || most == 0;
    access_.count =
        nothing ? 0 : static_cast<int>(random_.between(1, std::min<std::int64_t>(most, 40)));
    if (!map_bytes(access_.type, access_.count, access_.memory)) continue;
    if (write || bytes_are_distinct(access_.memory)) return;
  }
  access_.count = 0;
  access_.memory.clear();
}

/// As many basic elements as one etype has, so that any number of them is a number of etypes.
Datatype Participant::memory_leaf() {
  const auto basic_size = Datatype::predefined(basic_).size();
  const int elements = static_cast<int>(view_.etype_size / basic_size);
  if (basic_ == MPI_BYTE && elements == 1) {
    return Datatype::predefined(random_.pick({MPI_BYTE, MPI_BYTE, MPI_BYTE, MPI_INT, MPI_DOUBLE}));
  }
  return random_.chance(70) ? contiguous(elements, basic_) : spaced(elements, basic_);
}

/// Mostly near the start, where other ranks' accesses are.
std::int64_t Participant::random_offset() {
  const std::int64_t offset = random_.chance(40) ? 0 : random_.between(0, 400);
  return bytes_left(offset) > 0 ? offset : 0;
}

std::string Participant::describe() const {
  std::ostringstream text;
  text << "view: displacement " << view_.displacement << ", etype of " << view_.etype_size
       << " bytes (extent " << view_.etype.extent() << "), filetype of " << view_.tile.size()
       << " bytes at " << view_.tile.front() << " to " << view_.tile.back() << " (extent "
       << view_.tile_extent << "); access: offset " << access_.offset << ", " << access_.count
       << " elements, " << access_.memory.size() << " bytes";
  return text.str();
}

/// How many bytes from `offset` (in etypes) on lie in the part of the file that cases use, at least
/// if the file is cut in tiles.
std::int64_t Participant::bytes_left(std::int64_t offset) const {
  const auto tile_size = static_cast<std::int64_t>(view_.tile.size());
  const std::int64_t tiles = farthest_offset / std::max<std::int64_t>(view_.tile_extent, 1) + 1;
  return std::max<std::int64_t>(tiles * tile_size - offset * view_.etype_size, 0);
}

}  // namespace headrace::test
