#include "bench/content.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/copy.hpp"
#include "workload/random_order.hpp"

namespace headrace::bench {
namespace {

constexpr std::int64_t word_bytes = 8;

/// The eight bytes of the file from 8*index on, none of them zero.
std::uint64_t word_of(std::int64_t index) {
  const std::uint64_t word = workload::scramble(static_cast<std::uint64_t>(index));
  // The high bit of every byte that is zero (and, harmlessly, of some that are one).
  constexpr std::uint64_t ones = 0x0101010101010101U;
  const std::uint64_t zeros = (word - ones) & ~word & (ones << 7U);
  return word | (zeros >> 7U);
}

/// Calls visit(offset, address, length) for every piece that is contiguous in file and memory.
template <class Byte, class Visit>
void for_each_piece(const Part& part, Byte* buffer, Visit visit) {
  engine::for_each_common_piece(plan::RunCursor(part.memory), plan::RunCursor(part.file),
                                [&](std::int64_t at, std::int64_t offset, std::int64_t length) {
                                  visit(offset, buffer + at, static_cast<std::size_t>(length));
                                });
}

}  // namespace

void content_at(std::int64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t word = word_of(offset / word_bytes);
    const std::int64_t skip = offset % word_bytes;
    const auto length = std::min<std::size_t>(bytes.size(), word_bytes - skip);
    std::memcpy(bytes.data(), reinterpret_cast<const std::byte*>(&word) + skip, length);
    bytes = bytes.subspan(length);
    offset += static_cast<std::int64_t>(length);
  }
}

std::optional<std::size_t> first_wrong(std::int64_t offset, std::span<const std::byte> bytes) {
  std::array<std::byte, 4096> right;
  for (std::size_t done = 0; done < bytes.size(); done += right.size()) {
    const auto chunk = bytes.subspan(done, std::min(right.size(), bytes.size() - done));
    content_at(offset + static_cast<std::int64_t>(done), std::span(right).first(chunk.size()));
    if (std::memcmp(chunk.data(), right.data(), chunk.size()) == 0) continue;
    const auto wrong = std::mismatch(chunk.begin(), chunk.end(), right.begin()).first;
    return done + static_cast<std::size_t>(wrong - chunk.begin());
  }
  return std::nullopt;
}

void fill(const Part& part, std::byte* buffer) {
  for_each_piece(part, buffer, [](std::int64_t offset, std::byte* bytes, std::size_t length) {
    content_at(offset, {bytes, length});
  });
}

std::optional<std::int64_t> first_wrong_in(const Part& part, const std::byte* buffer) {
  std::optional<std::int64_t> found;
  for_each_piece(part, buffer,
                 [&](std::int64_t offset, const std::byte* bytes, std::size_t length) {
                   if (found) return;
                   if (const auto wrong = first_wrong(offset, {bytes, length}))
                     found = offset + static_cast<std::int64_t>(*wrong);
                 });
  return found;
}

}  // namespace headrace::bench
