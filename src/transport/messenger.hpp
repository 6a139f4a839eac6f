// The contract of a messenger: how the aggregators of different nodes talk.
// Nothing here blocks: operations are started, then tested, so that a rank may wait for shared
// memory and for messages at once (transport/waiter.hpp) and an oversubscribed core is yielded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/status.hpp"

namespace headrace::transport {

/// An operation under way. Handles are small integers of the messenger that gave them, valid until
/// finished() has returned true once.
using Operation = std::int64_t;

/// A message that has been matched and waits to be received.
struct Arrival {
  int source = 0;  ///< rank within this messenger
  std::size_t bytes = 0;
  std::int64_t handle = 0;
};

/// One object per rank, used by one thread at a time. Ranks are 0..size()-1. A failure of the
/// underlying library is reported by failure(); operations then finish at once, moving nothing.
class Messenger {
 public:
  virtual ~Messenger() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Synchronous-mode send: finished only when the receiver has matched it, so that a fast sender
  /// cannot flood the matching queues of a slow aggregator (TAM paper, section V). `data` must stay
  /// as it is until then. 0 <= tag < 32767, which is the tag of agreements (mpi/collectives.hpp);
  /// data.size() < 2^31.
  virtual Operation send(int destination, int tag, std::span<const std::byte> data) = 0;

  /// Matches one message of this tag from any rank, if one has come.
  virtual std::optional<Arrival> probe(int tag) = 0;
  /// Receives a matched message; into.size() >= arrival.bytes, and it must live until finished.
  virtual Operation receive(const Arrival& arrival, std::span<std::byte> into) = 0;
  /// Receives a message that is yet to come, of a tag that nobody probes for here. `into` is at
  /// least as large as it will be, and must live until finished.
  virtual Operation expect(int source, int tag, std::span<std::byte> into) = 0;

  /// Reduce and barrier: collective over the node leaders (the first rank of every node); only they
  /// may call them, all in the same order, so that no other rank ever has to make progress here.
  ///
  /// Element-wise maximum and sum over the leaders, in place; both spans must live until finished.
  virtual Operation reduce(std::span<std::int64_t> maxima, std::span<std::int64_t> sums) = 0;
  /// Finished when every leader has started it.
  virtual Operation barrier() = 0;

  /// To be called again and again while anything is under way, and after sends until somebody tells
  /// that they have arrived: a send may be finished, and its data still here. Whether something has
  /// finished.
  virtual bool progress() = 0;
  /// True if progress() has found that the operation has finished; the handle is then gone.
  virtual bool finished(Operation operation) = 0;

  /// The first failure of the underlying library, or ok.
  virtual Status failure() const = 0;
};

}  // namespace headrace::transport
