#include "plan/plan.hpp"

#include <algorithm>
#include <cassert>

namespace headrace::plan {
namespace {

/// Of most machines; a smaller one would do no harm.
constexpr std::int64_t page = 4096;

std::int64_t round_down(std::int64_t value, std::int64_t unit) {
  return value - value % unit;
}

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return round_down(value + unit - 1, unit);
}

/// The largest divisor of a stripe that fits the buffer, so that windows never straddle stripes.
std::int64_t window_within_stripe(std::int64_t stripe_size, std::int64_t buffer_size) {
  if (buffer_size >= stripe_size) return stripe_size;
  std::int64_t parts = (stripe_size + buffer_size - 1) / buffer_size;
  while (stripe_size % parts != 0) ++parts;
  return stripe_size / parts;
}

}  // namespace

Service choose_service(const CallShape& shape, const Options& options, int ranks, int nodes) {
  if (shape.bytes == 0) return Service::nothing;
  switch (options.method) {
    case Method::two_phase:
      return Service::two_phase;
    case Method::tam:
      return Service::tam;
    case Method::automatic:
      break;
  }
  if (shape.every_rank_contiguous &&
      (ranks == 1 || shape.bytes / shape.ranks_with_data >= direct_bytes))
    return Service::direct;
  return ranks > nodes ? Service::tam : Service::two_phase;
}

std::int64_t window_bytes(const Options& options, int nodes) {
  return nodes == 1 ? std::min(options.cb_buffer_size, node_window_bytes) : options.cb_buffer_size;
}

Windows::Windows(Extent range, int aggregators, std::int64_t buffer_size, std::int64_t stripe_size,
                 std::int64_t alignment)
    : range_(range), aggregators_(aggregators) {
  assert(!range.empty() && aggregators > 0 && buffer_size > 0);
  if (stripe_size > 0) {
    window_size_ = window_within_stripe(stripe_size, buffer_size);
    windows_per_stripe_ = stripe_size / window_size_;
    step_ = stripe_size * aggregators;
    origin_ = round_down(range.begin, step_);
    return;
  }
  const std::int64_t wanted = alignment > 0 ? alignment : page;
  const std::int64_t unit = buffer_size >= wanted ? wanted : 1;
  if (alignment > 0) step_ = unit;
  window_size_ = round_down(buffer_size, unit);
  origin_ = round_down(range.begin, unit);
  const std::int64_t length = range.end - origin_;
  domain_size_ = round_up((length + aggregators - 1) / aggregators, unit);
}

std::optional<Windows> Windows::moved(std::int64_t shift) const {
  if (shift % step_ != 0) return std::nullopt;
  Windows windows = *this;
  windows.range_ = {range_.begin + shift, range_.end + shift};
  windows.origin_ += shift;
  return windows;
}

WindowNumber Windows::number_at(std::int64_t offset) const noexcept {
  if (windows_per_stripe_ > 0) {
    const std::int64_t window = (offset - origin_) / window_size_;
    const std::int64_t stripe = window / windows_per_stripe_;
    const std::int64_t round =
        stripe / aggregators_ * windows_per_stripe_ + window % windows_per_stripe_;
    return round * aggregators_ + stripe % aggregators_;
  }
  const std::int64_t from_origin = offset - origin_;
  const std::int64_t domain = from_origin / domain_size_;
  return from_origin % domain_size_ / window_size_ * aggregators_ + domain;
}

Extent Windows::extent(WindowNumber number) const noexcept {
  if (windows_per_stripe_ > 0) {
    const std::int64_t stripe =
        round_of(number) / windows_per_stripe_ * aggregators_ + aggregator_of(number);
    const std::int64_t window =
        stripe * windows_per_stripe_ + round_of(number) % windows_per_stripe_;
    const std::int64_t begin = origin_ + window * window_size_;
    return intersection({begin, begin + window_size_}, range_);
  }
  const std::int64_t domain = origin_ + aggregator_of(number) * domain_size_;
  const std::int64_t begin = domain + round_of(number) * window_size_;
  return intersection({begin, std::min(begin + window_size_, domain + domain_size_)}, range_);
}

std::vector<WindowNumber> Windows::touched(const Pattern& pattern) const {
  std::vector<WindowNumber> numbers;
  for (std::int64_t position = 0; position < pattern.size();) {
    numbers.push_back(number_at(pattern.offset_of(position)));
    position = pattern.bytes_below(extent(numbers.back()).end);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace headrace::plan
