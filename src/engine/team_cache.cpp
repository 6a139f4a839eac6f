#include "engine/team_cache.hpp"

namespace headrace::engine {

TeamCache& TeamCache::of(transport::Team& team) {
  if (!team.attachment) team.attachment = std::make_unique<TeamCache>();
  return static_cast<TeamCache&>(*team.attachment);
}

PlanCache& TeamCache::plans(const Options& options, const storage::Traits& traits) {
  const Basis basis{options, traits.stripe_size, traits.stripe_count, traits.block_size};
  if (!plans_ || basis_ != basis) {
    basis_ = basis;
    plans_.emplace(options.plan_cache);
  }
  return *plans_;
}

}  // namespace headrace::engine
