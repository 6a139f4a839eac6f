// Workloads: the I/O patterns of known applications, each a pure function of (parameters, ranks,
// rank). One rank's part is made without the others', so that rank 16,383 of 16,384 costs no more
// than it has requests. Tests, the benchmark, the planner and the model all use these.
//
// A workload is a number of collective calls in one file; a simulation's time steps. Every call has
// the same layout, at a displacement that moves on by a fixed stride.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "plan/layout.hpp"
#include "plan/pattern.hpp"

namespace headrace::workload {

/// Immutable; its functions may be called from several threads at once.
class Workload {
 public:
  virtual ~Workload() = default;

  virtual int ranks() const = 0;

  /// What `rank` touches in the file in one call: offsets from the call's displacement, none
  /// negative, monotone. No two ranks share a byte. Null where the rank has nothing.
  virtual plan::PlacedLayout file(int rank) const = 0;
  /// Where these bytes are in the rank's buffer, in the order of file(): offsets from the buffer's
  /// begin, none negative, no byte twice. As many bytes as file().
  virtual plan::PlacedLayout memory(int rank) const;
  /// What `rank` touches in the file in call `call`, offsets from the file's begin; empty where it
  /// has nothing.
  plan::Pattern pattern(int rank, std::int64_t call) const;
  /// In how many requests the program names what file() gives, of which those that touch are one.
  virtual std::int64_t requests(int rank) const;

  /// The call's displacement in the file: header_bytes() + call * call_stride().
  std::int64_t displacement(std::int64_t call) const;
  /// Bytes before the first call's, which nobody writes.
  virtual std::int64_t header_bytes() const { return 0; }
  /// The file range of one call, from its displacement to one past its last byte.
  virtual std::int64_t call_stride() const = 0;
  /// Bytes of all ranks in one call.
  virtual std::int64_t call_bytes() const = 0;
  /// How many calls are made when the user asks for no size.
  virtual std::int64_t default_calls() const = 0;
};

/// A parameter of a workload, as users name it.
struct Parameter {
  std::string_view name;
  std::string_view default_value;
  std::string_view meaning;
};

/// What a user has set, by name; the others have their defaults.
using Settings = std::map<std::string, std::string, std::less<>>;

/// A row of the table of workloads: the command's help and the docs come from it.
struct Kind {
  std::string_view name;
  std::string_view meaning;  ///< one line, with the source
  std::span<const Parameter> parameters;
};
std::span<const Kind> kinds();

/// Fails, saying what is wrong and what may be given, on an unknown name or parameter, a value out
/// of range, or a number of ranks that the workload cannot be cut into.
Result<std::unique_ptr<Workload>> make(std::string_view name, const Settings& settings, int ranks);

}  // namespace headrace::workload
