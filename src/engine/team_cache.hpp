// What a team keeps from file to file. A program that writes a new file in each step, or reads what
// it has written, makes calls of the same patterns: they are served by the same plans, and their
// messages lie in the same memory.
#pragma once

#include <optional>

#include "base/options.hpp"
#include "engine/message_buffers.hpp"
#include "engine/plan_cache.hpp"
#include "storage/storage.hpp"
#include "transport/team.hpp"

namespace headrace::engine {

class TeamCache final : public transport::Attachment {
 public:
  /// The team's. Lives as long as that.
  static TeamCache& of(transport::Team& team);

  /// For a file with these options on such a storage; empty if the team's last file had others, on
  /// which plans depend. All ranks prepare their files in step.
  PlanCache& plans(const Options& options, const storage::Traits& traits);
  MessageBuffers& message_buffers() { return message_buffers_; }

 private:
  struct Basis {
    Options options;
    std::int64_t stripe_size = 0;
    std::int64_t stripe_count = 0;
    std::int64_t block_size = 0;

    bool operator==(const Basis&) const = default;
  };

  Basis basis_;
  std::optional<PlanCache> plans_;  // of files of this basis; none before the first
  MessageBuffers message_buffers_;
};

}  // namespace headrace::engine
