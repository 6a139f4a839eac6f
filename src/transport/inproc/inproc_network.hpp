// A messenger among the threads of one process: for tests.
#pragma once

#include <memory>
#include <span>

#include "transport/messenger.hpp"

namespace headrace::transport {

/// Stricter than MPI where the contract lets it be: a send finishes only when its message has been
/// received, so that whoever counts on buffering hangs here first. The messengers it gives keep
/// what they share alive; the network itself may go first. Thread-safe.
class InprocNetwork {
 public:
  /// `leaders`: the ranks that call reduce and barrier.
  InprocNetwork(int ranks, std::span<const int> leaders);
  ~InprocNetwork();

  /// Rank `rank`'s side; once per rank.
  std::unique_ptr<Messenger> attach(int rank) const;

  struct Shared;

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace headrace::transport
