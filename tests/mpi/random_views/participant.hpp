// What one rank does in a random case: its file view, its file pointer, and the access of each
// step. Any rank can play any other's part, with no communication: all comes from the seed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

#include "random_datatype.hpp"

namespace headrace::test {

/// A file view, and the type map of one copy of its filetype.
struct View {
  std::int64_t displacement = 0;
  Datatype etype;
  Datatype filetype;
  std::int64_t etype_size = 0;
  std::int64_t tile_extent = 0;
  TypeMap tile;

  /// Offset in the file of byte `k` of what the view shows.
  std::int64_t file_offset(std::int64_t k) const;
};

/// What all ranks have in common in a view.
struct Etype {
  MPI_Datatype basic = MPI_BYTE;
  Datatype type;
};
Etype random_etype(Random random);

/// One rank's part of a collective call.
struct Access {
  std::int64_t offset = 0;  ///< in etypes
  Datatype type;
  int count = 0;
  TypeMap memory;  ///< of each byte: where in memory, relative to the buffer's address
  TypeMap file;    ///< of each byte: where in the file
};

class Participant {
 public:
  Participant(std::uint64_t seed, std::uint64_t number, int rank);

  /// Chooses the next view; the file pointer returns to zero. `common` holds what all ranks share.
  void choose_view(const Etype& common);

  /// Chooses the next access. With `explicit_offset` the file pointer is neither used nor moved.
  void choose_access(bool write, bool explicit_offset);

  const View& view() const noexcept { return view_; }
  const Access& access() const noexcept { return access_; }
  /// Set if the program has to move the file pointer there before the access.
  std::optional<std::int64_t> seek() const noexcept { return seek_; }
  /// The view and the access in one line.
  std::string describe() const;
  /// In etypes, after the access.
  std::int64_t pointer() const noexcept { return pointer_; }

 private:
  void choose_filetype();
  void choose_memory(bool write);
  Datatype memory_leaf();
  std::int64_t random_offset();
  std::int64_t bytes_left(std::int64_t offset) const;

  Random random_;
  MPI_Datatype basic_ = MPI_BYTE;
  View view_;
  Access access_;
  std::optional<std::int64_t> seek_;
  std::int64_t pointer_ = 0;
};

}  // namespace headrace::test
