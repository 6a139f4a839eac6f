// The parameters of one workload as numbers and words, read from what a user has set and from the
// defaults of the table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workload/workload.hpp"

namespace headrace::workload {

/// Elements along each dimension of an array, or ranks along each dimension of a grid; the fastest
/// dimension first.
using Edges = std::vector<std::int64_t>;

/// A number of bytes. Units, in any case of letters: none or B; k, M, G, T and KiB, MiB, GiB, TiB
/// are powers of 1024 (k as in hints); KB, MB, GB, TB powers of 1000. nullopt: not such a size, or
/// beyond 64 bits.
std::optional<std::int64_t> parse_size(std::string_view text);

/// Not thread-safe: it remembers the first complaint. After one, the readers still give a value
/// within their range, so that a maker reads all it needs and then looks at status() once.
class Arguments {
 public:
  /// Refers to both, and does not own them. Every name in `settings` is one of the kind's.
  Arguments(const Kind& kind, const Settings& settings) : kind_(kind), settings_(settings) {}

  std::string text(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::int64_t bytes(std::string_view name, std::int64_t least, std::int64_t most);
  /// The index of the word in `words`.
  std::size_t word(std::string_view name, std::span<const std::string_view> words);
  /// "128x64x32", or "128" for the same along all of `dimensions`. Each edge is 1 to 2^20.
  Edges edges(std::string_view name, std::size_t dimensions);
  /// As edges(), but each must be given; nullopt where the parameter is empty.
  std::optional<Edges> grid(std::string_view name, std::size_t dimensions);

  /// "s3d: ..." with the kind's name before the complaint.
  Status complaint(std::string_view what) const;
  /// The first complaint, ok if there is none.
  const Status& status() const noexcept { return status_; }

 private:
  void refuse(std::string_view name, std::string_view allowed);

  const Kind& kind_;
  const Settings& settings_;
  Status status_;
};

}  // namespace headrace::workload
