// One open file's collective reads and writes: the engine behind every entry point (MPI_File_*,
// headrace.h). It knows no MPI: a Team says who takes part and how they talk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/direction.hpp"
#include "base/options.hpp"
#include "base/status.hpp"
#include "engine/file_facts.hpp"
#include "engine/veto.hpp"
#include "plan/pattern.hpp"
#include "report/measures.hpp"
#include "report/timers.hpp"
#include "storage/storage.hpp"
#include "transport/team.hpp"

namespace headrace::engine {

using transport::Team;

/// One rank's part of a collective call.
struct Call {
  plan::Pattern file;
  /// Same size as `file`. Offsets are relative to `buffer` and may be negative.
  plan::Pattern memory;
  /// Not written to by write_all.
  std::byte* buffer = nullptr;
  Veto veto = Veto::none;
};

struct Outcome {
  /// Not none: nobody has moved a byte, and every rank must make the call through the host MPI.
  /// The same on every rank.
  Veto host = Veto::none;
  /// The same class on every rank.
  Status status;
  /// Bytes of this rank's data that were written, or really read (fewer at the end of the file).
  std::int64_t bytes = 0;
};

class CollectiveFile {
 public:
  /// `team` must outlive the object. Of `facts` those of rank 0 count. The storage is opened at the
  /// first call, by the ranks that need it.
  CollectiveFile(Team& team, storage::Opener opener, std::string path, storage::Access access,
                 FileFacts facts);
  /// Waits for others.
  ~CollectiveFile();
  CollectiveFile(const CollectiveFile&) = delete;
  CollectiveFile& operator=(const CollectiveFile&) = delete;

  /// Collective over the team; all ranks make the same calls in the same order. Neither throws.
  ///
  /// With early_return a rank comes back when its own roles are done, and may use its buffer. It
  /// is told what happened to its own data: of a write, whether it was taken. That a write failed
  /// later, or a read of others' data, all ranks are told by settle(), or by their next call of
  /// these two, which then does nothing else. Where there are several nodes, the first rank of each
  /// comes back when all have done.
  Outcome write_all(const Call& call) noexcept;
  Outcome read_all(const Call& call) noexcept;

  /// The smallest of all ranks' values, one by one, in place. Collective; without MPI on a node.
  void minima(std::span<std::int64_t> values) noexcept;

  /// Returns when all ranks have called it, after which none uses the team for this file any more.
  /// Collective.
  void meet() noexcept;

  /// As a meeting before which all that ranks have done to the file is done: on one node nobody
  /// waits for it, but by wait_for_passing(). Collective.
  void pass() noexcept;
  /// Waits until all ranks have passed what this one has. Local; thread-safe.
  void wait_for_passing() noexcept;

  /// To be called before anything else looks at the file or changes it: waits until all ranks have
  /// done the last call. Local, and nothing unless that call returned early.
  void wait_for_others() noexcept;
  /// Waits likewise, and tells once what had not been told yet: the same class on every rank.
  /// To be called by all ranks or none.
  Status settle() noexcept;

  /// Flushes this rank's writes to the device. Local; not without settle() before.
  Status sync() noexcept;

  /// This rank's own until the first collective call of this object, then the same on all ranks. It
  /// lives as long as the object.
  const FileFacts& facts() const noexcept;
  /// The options in effect: after the first call with what it chose where a count was 0.
  Options options() const;
  /// Those of rank 0 take effect on all ranks with the next call; other ranks' are not looked at.
  /// Local.
  void set_options(const Options& options);

  /// This rank's counters since the file was opened.
  const report::Counters& counters() const noexcept;
  /// The counters of all ranks together, on every rank. Collective.
  report::Counters total_counters() noexcept;

  /// Where this rank's time went, in the calls that Headrace served.
  const report::PhaseTimes& times(Direction direction) const noexcept;
  /// Of all ranks and all global aggregators, on every rank. Collective.
  report::TimersByDirection total_timers() noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace::engine
