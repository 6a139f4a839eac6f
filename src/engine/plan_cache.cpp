#include "engine/plan_cache.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace headrace::engine {
namespace {

/// How much a plan is like what a call needs; of all ranks, the worst counts.
enum Likeness : std::int64_t { usable, same_pattern, different };

/// Below every shift that a plan is used for; two of them still are a number.
constexpr auto no_data = std::numeric_limits<std::int64_t>::min() / 2;

}  // namespace

bool KeptPlan::keep(std::int64_t count) {
  has_gaps_ = has_gaps_ || !cache_.make_room(*this, count);
  if (has_gaps_) return false;
  bytes_ += count;
  cache_.used_ += count;
  return true;
}

bool KeptPlan::keep_spare(std::int64_t count) {
  return bytes_ + count <= cache_.capacity_ / 2 && keep(count);
}

void KeptPlan::finish(bool all) {
  if (all && !has_gaps_)
    is_finished_ = true;
  else
    cache_.release(*this);
}

void PlanCache::ask(const plan::Pattern& file, std::span<std::int64_t> words) const {
  auto word = words.begin();
  for (const KeptPlan& plan : plans_) {
    const bool is_same = plan::same_but_for_place(file, plan.file());
    const bool has_place = is_same && !file.empty();
    const std::int64_t shift = has_place ? file.origin() - plan.file().origin() : 0;
    *word++ = !is_same ? different : plan.is_usable() ? usable : same_pattern;
    *word++ = has_place ? shift : no_data;
    *word++ = has_place ? -shift : no_data;
  }
}

PlanCache::Choice PlanCache::choose(const plan::Pattern& file,
                                    std::span<const std::int64_t> maxima) {
  for (auto plan = plans_.begin(); plan != plans_.end(); ++plan) {
    const std::int64_t likeness = maxima[0];
    const std::int64_t shift = maxima[1];
    const bool all_moved_alike = shift + maxima[2] == 0;
    maxima = maxima.subspan(words_per_plan);
    if (likeness == different || !all_moved_alike) continue;
    plans_.splice(plans_.begin(), plans_, plan);
    if (likeness != usable) {
      begin_anew(*plan, file);
      return {*plan, std::nullopt};
    }
    plan->file_ = file;
    return {*plan, shift};
  }
  return {add(file), std::nullopt};
}

KeptPlan& PlanCache::add(const plan::Pattern& file) {
  if (std::ssize(plans_) == most_plans) {
    release(plans_.back());
    plans_.pop_back();
  }
  return plans_.emplace_front(*this, file);
}

void PlanCache::begin_anew(KeptPlan& plan, const plan::Pattern& file) {
  release(plan);
  plan.file_ = file;
}

void PlanCache::release(KeptPlan& plan) {
  used_ -= plan.bytes_;
  plan.bytes_ = 0;
  plan.is_finished_ = plan.has_gaps_ = false;
  plan.member = {};
  plan.group = {};
  plan.domain = {};
}

/// At the cost of the plans that were used longest ago.
bool PlanCache::make_room(const KeptPlan& wanting, std::int64_t bytes) {
  for (auto plan = plans_.rbegin(); plan != plans_.rend() && used_ + bytes > capacity_; ++plan)
    if (&*plan != &wanting) release(*plan);
  return used_ + bytes <= capacity_;
}

}  // namespace headrace::engine
