#include "plan/plan.hpp"

#include <algorithm>
#include <cassert>

#include "base/round.hpp"

namespace headrace::plan {
namespace {

/// The largest divisor of a stripe that fits the buffer, so that windows never straddle stripes.
std::int64_t window_within_stripe(std::int64_t stripe_size, std::int64_t buffer_size) {
  if (buffer_size >= stripe_size) return stripe_size;
  std::int64_t parts = (stripe_size + buffer_size - 1) / buffer_size;
  while (stripe_size % parts != 0) ++parts;
  return stripe_size / parts;
}

/// A window costs about as much beside its data as it costs to send a 400th of a collective buffer
/// to another node: 40 us, of 16 MiB.
constexpr std::int64_t windows_of_a_buffer = 400;

/// Whether no aggregator has more than one and a half times its share of the cells: the others
/// would wait for it.
bool is_balanced(std::span<const int> owners, std::int64_t aggregators) {
  std::vector<std::int64_t> cells(aggregators);
  for (const int owner : owners) ++cells[owner];
  return 2 * aggregators * std::ranges::max(cells) <= 3 * std::ssize(owners);
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
  const std::int64_t unit = window_alignment(alignment, buffer_size);
  if (alignment > 0) step_ = unit;
  window_size_ = round_down(buffer_size, unit);
  origin_ = round_down(range.begin, unit);
  const std::int64_t length = range.end - origin_;
  domain_size_ = round_up((length + aggregators - 1) / aggregators, unit);
}

Windows::Windows(Extent range, int aggregators, const Cells& cells,
                 std::shared_ptr<const WindowTable> table, std::int64_t alignment)
    : range_(range),
      aggregators_(aggregators),
      origin_(cells.origin),
      step_(alignment > 0 ? window_alignment(alignment, cells.size) : 1),
      table_(std::move(table)) {}

std::optional<Windows> Windows::moved(std::int64_t shift) const {
  if (shift % step_ != 0) return std::nullopt;
  Windows windows = *this;
  windows.range_ = {range_.begin + shift, range_.end + shift};
  windows.origin_ += shift;
  return windows;
}

WindowNumber Windows::number_at(std::int64_t offset) const noexcept {
  if (table_) return table_->number_at(offset - origin_);
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
  if (table_) {
    const Extent places = table_->extent(number);
    return intersection({origin_ + places.begin, origin_ + places.end}, range_);
  }
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

std::optional<Windows> placed_windows(const CallShape& shape, const Cells& cells,
                                      std::span<const std::int64_t> highest, const NodeMap& nodes,
                                      std::span<const int> global, const Options& options) {
  const std::int64_t crossing = crossing_bytes(highest, shape.bytes);
  const std::int64_t crossing_else = crossing_bytes_of_even(shape.bytes, nodes_of(nodes, global));
  if (crossing >= crossing_else) return std::nullopt;
  // Most of their data comes from the node itself, for which windows are best as on a single node.
  const std::int64_t most = window_bytes(options, 1);
  const std::vector<int> owners = cell_owners(highest, cells, nodes, global, most);
  const auto aggregators = static_cast<int>(global.size());
  auto table = std::make_shared<const WindowTable>(owners, aggregators, cells.size, most);
  if (options.file_domains == FileDomains::automatic) {
    const std::int64_t buffer = options.cb_buffer_size;
    const std::int64_t more_windows = table->count() - shape.range.length() / buffer - aggregators;
    if (crossing + more_windows * (buffer / windows_of_a_buffer) >= crossing_else)
      return std::nullopt;
    if (!is_balanced(owners, aggregators)) return std::nullopt;
  }
  return Windows(shape.range, aggregators, cells, std::move(table), options.striping_unit);
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
