#include "engine/team_plans.hpp"

#include <memory>
#include <utility>

namespace headrace::engine {

PlanCache& TeamPlans::of(transport::Team& team, const Options& options,
                         const storage::Traits& traits) {
  const Basis basis{options, traits.stripe_size, traits.stripe_count};
  auto* plans = static_cast<TeamPlans*>(team.attachment.get());
  if (plans == nullptr || plans->basis_ != basis) {
    auto made = std::unique_ptr<TeamPlans>(new TeamPlans(basis));
    plans = made.get();
    team.attachment = std::move(made);
  }
  return plans->cache_;
}

}  // namespace headrace::engine
