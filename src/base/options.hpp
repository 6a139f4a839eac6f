// The options of one open file: what users set by hints. One table row per option (options.cpp);
// parsing, defaults, displays, MPI_File_get_info and docs/options.md all come from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/schedule.hpp"
#include "base/status.hpp"

namespace headrace {

enum class Method { automatic, two_phase, tam };
/// How global aggregators are laid over the nodes (TAM paper, sections IV-B and V).
enum class AggregatorPlacement {
  spread,      ///< ROMIO: evenly over the nodes, then evenly over a node's ranks
  round_robin  ///< Cray: node by node in turn: ranks 0, 64, 1, 65 on two nodes of 64
};
/// How a file without stripes is divided between global aggregators (plan/domain_placement.hpp).
enum class FileDomains {
  automatic,  ///< as local, where that saves more than the windows cost that come of it
  local,      ///< each part to the node that has most of its data, where less then crosses
  even        ///< ROMIO: in contiguous parts of one size
};
enum class Toggle { automatic, enable, disable };

struct Options {
  Method method = Method::automatic;
  /// P_L over all nodes; 0: chosen by plan::default_local_aggregators.
  std::int64_t local_aggregators = 0;
  AggregatorPlacement aggregator_placement = AggregatorPlacement::spread;
  /// P_G; 0: one a node, or the stripe count where the storage has stripes.
  std::int64_t cb_nodes = 0;
  FileDomains file_domains = FileDomains::automatic;
  /// Bytes of one collective buffer: the largest window of a round.
  std::int64_t cb_buffer_size = 8 << 20;
  /// Bytes of requests that a rank may keep, to serve calls of the same pattern again; 0: none.
  std::int64_t plan_cache = 8 << 20;
  /// ROMIO's list of hosts and processes per host that may be global aggregators; "*:1".
  std::string cb_config_list = "*:1";
  Toggle cb_write = Toggle::automatic;
  Toggle cb_read = Toggle::automatic;
  /// Read-modify-write of windows with holes (data sieving), for writes and for reads.
  Toggle ds_write = Toggle::automatic;
  Toggle ds_read = Toggle::automatic;
  bool no_indep_rw = false;
  /// The order in which global aggregators serve their windows (plan/schedule.hpp).
  Schedule schedule = Schedule::offset;
  /// Ranks return when their own roles are done (engine/collective_file.hpp).
  bool early_return = false;
  /// Bytes; 0: the file system's own.
  std::int64_t striping_unit = 0;
  /// Stripe count; 0: the file system's own, -1: all storage targets (as Lustre has it).
  std::int64_t striping_factor = 0;
  /// Microseconds that a stripe takes on the modelled storage; 0: the real storage.
  std::int64_t model_stripe_time = 0;

  Toggle collective_buffering(bool is_write) const noexcept {
    return is_write ? cb_write : cb_read;
  }

  bool operator==(const Options&) const = default;
};

/// One row of the option table.
struct OptionRow {
  std::string_view name;           ///< the hint's key: "cb_buffer_size", "headrace_method"
  std::string_view default_value;  ///< as text
  std::string_view allowed;        ///< for messages: "two_phase|tam|auto", "bytes, 64 to 512 MiB"
  std::string_view meaning;        ///< one line, for `headrace` and the docs
  std::function<bool(Options&, std::string_view)> parse;  ///< false: not an allowed value
  std::function<std::string(const Options&)> print;       ///< as MPI_File_get_info shows it
};
std::span<const OptionRow> option_table();

/// One key and value as a user gave it.
struct Hint {
  std::string key;
  std::string value;

  bool operator==(const Hint&) const = default;
};

/// Gives `hint`'s key its value in `hints`, whether it is there or not.
void put(std::vector<Hint>& hints, const Hint& hint);

/// Sets `hint` in `options`. nullopt: done, or the key is of no concern to Headrace. Otherwise the
/// options are as before, and the text says which key and value were refused and what is allowed.
std::optional<std::string> apply_hint(Options& options, const Hint& hint);

/// The hints of `text` that are for the file `path`: "pattern:key=value:key=value,pattern2:...",
/// pattern being a shell pattern on the whole path or on its last component (as Cray's
/// MPICH_MPIIO_HINTS). Blanks around patterns, keys and values do not count; of two entries that
/// match, both give their hints, in order.
///
/// Colons and commas end a pattern, a key or a value, but for the value of cb_config_list
/// ("host1:2,host2:1"): it goes on at a colon unless "key=" follows up to the next separator, and
/// at a comma unless "pattern:key=" follows. So a last host without a number, with a hint behind
/// it, would be taken for a pattern: write "host:1".
///
/// The parts that cannot be read, if any, are in `complaint`; the rest is used.
struct HintText {
  std::vector<Hint> hints;
  std::string complaint;
};
HintText hints_for_path(std::string_view text, std::string_view path);

/// Every option with its effective value, in table order.
std::vector<Hint> effective_hints(const Options& options);
/// Those that are not as they are by default.
std::vector<Hint> chosen_hints(const Options& options);

}  // namespace headrace
