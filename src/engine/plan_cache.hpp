// The plans of the last calls of a team's files. All ranks add and find in step, so that a plan has
// the same place on each; what it holds is each rank's own.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>

#include "engine/kept_plan.hpp"

namespace headrace::engine {

class PlanCache {
 public:
  /// As many patterns as a program commonly writes in turns, as E3SM's F case does with three.
  static constexpr int most_plans = 8;
  static constexpr int words_per_plan = 3;

  /// `capacity`: bytes of requests that this rank may keep; 0 keeps no plan.
  explicit PlanCache(std::int64_t capacity) : capacity_(capacity) {}

  /// How many words all ranks must reduce, by maximum, to know which plan serves a call.
  int words() const noexcept { return words_per_plan * static_cast<int>(plans_.size()); }
  /// This rank's words for its part of a call. Exact: patterns are compared, not only hashed.
  void ask(const plan::Pattern& file, std::span<std::int64_t> words) const;

  /// How a call is to be served.
  struct Choice {
    KeptPlan& plan;
    /// Set: the plan serves it, with the data this many bytes further on than last time. Else the
    /// plan is yet to be found out.
    std::optional<std::int64_t> shift;
  };
  /// From the maxima of all ranks' words. A plan that some rank could not keep is begun anew.
  Choice choose(const plan::Pattern& file, std::span<const std::int64_t> maxima);
  /// Forgets what a plan holds; it is yet to be found out, for a call of which `file` is this
  /// rank's part.
  void begin_anew(KeptPlan& plan, const plan::Pattern& file);

 private:
  friend class KeptPlan;
  bool make_room(const KeptPlan& wanting, std::int64_t bytes);
  void release(KeptPlan& plan);
  KeptPlan& add(const plan::Pattern& file);

  std::int64_t capacity_;
  std::int64_t used_ = 0;
  std::list<KeptPlan> plans_;  // the last used one first
};

}  // namespace headrace::engine
