// One rank's requests, served by that rank alone: where collective buffering has nothing to gain,
// or is not to be had and there is no host MPI to leave the call to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/options.hpp"
#include "base/raw_vector.hpp"
#include "base/status.hpp"
#include "engine/collective_file.hpp"
#include "engine/window_io.hpp"
#include "report/measures.hpp"
#include "storage/storage.hpp"

namespace headrace::engine {

/// One access to the storage per contiguous piece of the file, but that small pieces are read
/// together with the holes between them (data sieving). They are not written so: other ranks may
/// write to the holes at the same time, and need not lock what they write. Noncontiguous memory is
/// packed.
/// Where the storage is not coherent, the range touched is locked for the time of the call, and
/// written through to the server before it is unlocked. Local; call.veto is of no concern here.
class IndependentIo {
 public:
  /// Memory to pack and to read holes in, which grows to 1 MiB at most. To be kept from call to
  /// call: new memory costs page faults, which are more than it takes to pack.
  using Packing = RawVector<std::byte>;

  /// References outlive the object. Counts accesses to the storage, and times them (Phase::io) and
  /// the packing (Phase::copy).
  IndependentIo(storage::Storage& storage, report::Measures& measures, const Options& options,
                Packing& packing)
      : storage_(storage),
        window_io_(storage, options, measures.counters),
        counters_(measures.counters),
        clock_(measures.clock),
        packing_(packing) {}

  /// Both give the bytes moved. call.file is monotone.
  Result<std::int64_t> write(const Call& call);
  /// Fewer bytes only where the file ends.
  Result<std::int64_t> read(const Call& call);

 private:
  std::int64_t piece_limit(const Call& call) const;
  std::span<std::byte> packing(std::int64_t length);
  Result<std::int64_t> write_pieces(const Call& call);
  Result<std::int64_t> read_pieces(const Call& call);
  Status write_piece(const Call& call, Extent piece, std::int64_t position);
  Result<std::int64_t> read_piece(const Call& call, Extent piece, std::int64_t position);
  Result<std::int64_t> read_window(const Call& call, Extent window, Extent stream);

  storage::Storage& storage_;
  WindowIo window_io_;
  report::Counters& counters_;
  report::PhaseClock& clock_;
  Packing& packing_;
};

}  // namespace headrace::engine
