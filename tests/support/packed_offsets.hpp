// An oracle for datatypes that is not ours: the host's MPI_Pack of a buffer whose bytes are
// numbered tells where each byte of the stream comes from.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "plan/pattern.hpp"

namespace headrace::test {

using Offsets = std::vector<std::int64_t>;

inline void require_success(int code) {
  if (code != MPI_SUCCESS) throw std::runtime_error("an MPI call of the oracle failed");
}

/// `count` copies of `type` packed from a buffer whose address 0 is at buffer[zero].
inline std::vector<unsigned char> packed(MPI_Datatype type, int count,
                                         const std::vector<unsigned char>& buffer,
                                         std::int64_t zero) {
  int size = 0;
  require_success(MPI_Pack_size(count, type, MPI_COMM_SELF, &size));
  std::vector<unsigned char> stream(size + 1);
  int position = 0;
  require_success(MPI_Pack(buffer.data() + zero, count, type, stream.data(),
                           static_cast<int>(stream.size()), &position, MPI_COMM_SELF));
  stream.resize(position);
  return stream;
}

/// The offset of every byte of the stream of `count` copies of a committed datatype. For type maps
/// that reach over less than 2^24 bytes.
inline Offsets packed_offsets(MPI_Datatype type, int count) {
  MPI_Aint lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  require_success(MPI_Type_get_extent(type, &lb, &extent));
  require_success(MPI_Type_get_true_extent(type, &true_lb, &true_extent));
  const std::int64_t last = std::max(0, count - 1) * extent;
  const std::int64_t low = std::min<std::int64_t>(0, true_lb + std::min<std::int64_t>(0, last));
  const std::int64_t high = true_lb + true_extent + std::max<std::int64_t>(0, last);

  Offsets offsets;
  for (int shift = 0; shift < 24; shift += 8) {
    std::vector<unsigned char> buffer(std::max<std::int64_t>(high - low, 0) + 1);
    for (std::size_t i = 0; i < buffer.size(); ++i)
      buffer[i] = static_cast<unsigned char>(i >> shift);
    const auto stream = packed(type, count, buffer, -low);
    offsets.resize(stream.size(), low);
    for (std::size_t i = 0; i < stream.size(); ++i) offsets[i] += std::int64_t{stream[i]} << shift;
  }
  return offsets;
}

inline Offsets walked_offsets(const plan::Pattern& pattern) {
  Offsets offsets;
  plan::RunCursor cursor(pattern);
  for (plan::Run run; cursor.next(run);)
    for (std::int64_t i = 0; i < run.count; ++i)
      for (std::int64_t byte = 0; byte < run.length; ++byte)
        offsets.push_back(run.offset + i * run.stride + byte);
  return offsets;
}

}  // namespace headrace::test
