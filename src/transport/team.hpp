// Who takes part in a file's collective calls, and how they talk.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/node_map.hpp"
#include "transport/messenger.hpp"
#include "transport/node_memory.hpp"

namespace headrace::transport {

/// What is kept as long as a team, from file to file.
class Attachment {
 public:
  Attachment() = default;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  virtual ~Attachment() = default;
};

/// One object per rank.
struct Team {
  int rank = 0;  ///< in the file's communicator
  plan::NodeMap nodes;
  std::vector<std::string> hosts;  ///< of each node
  std::unique_ptr<NodeMemory> node;
  /// Between the nodes; its ranks are the file's ranks. Null where there is one node only.
  std::unique_ptr<Messenger> messenger;
  std::unique_ptr<Attachment> attachment;  ///< the engine's (team_cache.hpp)
};

}  // namespace headrace::transport
