// What the bytes of a benchmark's file are: a function of their offset alone, so that a file is
// checked against the workload and never against another file. None is zero: a byte that nobody
// wrote, and a buffer that nobody filled, cannot pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "plan/pattern.hpp"

namespace headrace::bench {

/// The bytes of the file from `offset` on.
void content_at(std::int64_t offset, std::span<std::byte> bytes);

/// How many bytes of `bytes`, the file's from `offset` on, are right before the first wrong one;
/// nullopt if all are right.
std::optional<std::size_t> first_wrong(std::int64_t offset, std::span<const std::byte> bytes);

/// One rank's part of a call. Both patterns have the same size; file offsets are the file's own,
/// memory offsets are relative to the rank's buffer.
struct Part {
  plan::Pattern file;
  plan::Pattern memory;
};

/// Puts into the buffer what the rank is to write. Bytes between the memory's pieces stay.
void fill(const Part& part, std::byte* buffer);

/// The file offset of the first byte in the buffer that is not as fill() leaves it; nullopt if all
/// are.
std::optional<std::int64_t> first_wrong_in(const Part& part, const std::byte* buffer);

}  // namespace headrace::bench
