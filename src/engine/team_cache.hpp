// The plans of a team outlive its files: a program that writes a new file in each step, or reads
// what it has written, makes calls of the same patterns, and they are served by the same plans.
#pragma once

#include "base/options.hpp"
#include "engine/plan_cache.hpp"
#include "storage/storage.hpp"
#include "transport/team.hpp"

namespace headrace::engine {

class TeamPlans final : public transport::Attachment {
 public:
  /// For a file with these options on such a storage; empty if the team's last file had others, on
  /// which plans depend. All ranks prepare their files in step. Lives as long as the team.
  static PlanCache& of(transport::Team& team, const Options& options,
                       const storage::Traits& traits);

 private:
  struct Basis {
    Options options;
    std::int64_t stripe_size = 0;
    std::int64_t stripe_count = 0;

    bool operator==(const Basis&) const = default;
  };
  explicit TeamPlans(const Basis& basis) : basis_(basis), cache_(basis.options.plan_cache) {}

  Basis basis_;
  PlanCache cache_;
};

}  // namespace headrace::engine
