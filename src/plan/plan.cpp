#include "plan/plan.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

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

/// What a window, and a piece of one, cost beside their data, in bytes that may as well go to
/// another node. Between nodes of one machine a piece costs what 4 to 16 KiB do, and over links of
/// 1 Gbit/s less.
constexpr std::int64_t bytes_per_window = 40 << 10;
constexpr std::int64_t bytes_per_piece = 4 << 10;

/// Whether no aggregator has more than one and a half times its share of the cells: the others
/// would wait for it.
bool is_balanced(std::span<const int> owners, std::int64_t aggregators) {
  std::vector<std::int64_t> cells(aggregators);
  for (const int owner : owners) ++cells[owner];
  return 2 * aggregators * std::ranges::max(cells) <= 3 * std::ssize(owners);
}

}  // namespace

DirectSizes direct_sizes(std::int64_t block_size, std::int64_t stripe_size) {
  constexpr std::int64_t least_blocks = 4;
  constexpr std::int64_t least_extent = 256 << 10;
  if (block_size == 0 || stripe_size > 0)
    return {std::numeric_limits<std::int64_t>::max(), least_extent};
  const std::int64_t request = least_blocks * block_size;
  return {request, std::min(request, least_extent)};
}

bool suits_direct(const Pattern& file, const DirectSizes& sizes) {
  return file.is_contiguous() || file.size() / file.layout()->block_count() >= sizes.request;
}

std::optional<RunEncoder> small_list(const Pattern& file) {
  if (file.empty()) return RunEncoder();
  if (file.size() > small_part || file.span().length() > small_range) return std::nullopt;
  RunEncoder list = encode_window(file, Window(file.span()));
  if (file.size() + std::ssize(list.bytes()) > small_part) return std::nullopt;
  return list;
}

Service choose_service(const CallShape& shape, const Options& options, const DirectSizes& sizes,
                       int ranks, int nodes) {
  if (shape.bytes == 0) return Service::nothing;
  switch (options.method) {
    case Method::two_phase:
      return Service::two_phase;
    case Method::tam:
      return Service::tam;
    case Method::automatic:
      break;
  }
  if (shape.every_rank_direct && (ranks == 1 || shape.bytes / shape.ranks_with_data >= sizes.rank))
    return Service::direct;
  const bool anyone_may_serve = nodes == 1 && !options.no_indep_rw;
  if (shape.every_rank_small && shape.range.length() <= small_range && anyone_may_serve &&
      options.schedule == Schedule::offset)
    return Service::small;
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

Windows::Piece Windows::piece_at(std::int64_t offset) const noexcept {
  if (table_) {
    const WindowTable::Piece& piece = table_->piece_at(offset - origin_);
    return {piece.number, origin_ + piece.places.end};
  }
  const auto whole = [this](WindowNumber number) { return Piece{number, extent(number).end}; };
  if (windows_per_stripe_ > 0) {
    const std::int64_t window = (offset - origin_) / window_size_;
    const std::int64_t stripe = window / windows_per_stripe_;
    const std::int64_t round =
        stripe / aggregators_ * windows_per_stripe_ + window % windows_per_stripe_;
    return whole(round * aggregators_ + stripe % aggregators_);
  }
  const std::int64_t from_origin = offset - origin_;
  const std::int64_t domain = from_origin / domain_size_;
  return whole(from_origin % domain_size_ / window_size_ * aggregators_ + domain);
}

Window Windows::at(WindowNumber number) const {
  if (!table_) return Window(extent(number));
  Window window;
  for (const int piece : table_->pieces_of(number)) {
    const Extent places = table_->pieces()[piece].places;
    window.add(intersection({origin_ + places.begin, origin_ + places.end}, range_));
  }
  return window;
}

/// Of one that is none of a table's.
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

std::optional<Windows> placed_windows(const CallShape& shape, const Cells& cells,
                                      std::span<const std::int64_t> highest, const NodeMap& nodes,
                                      std::span<const int> global, const Options& options) {
  const bool insists = options.file_domains == FileDomains::local;
  const std::vector<int> cell_nodes =
      plan::cell_nodes(highest, nodes.node_count(), insists ? 0 : bytes_per_piece);
  const std::int64_t crossing =
      crossing_bytes(highest, cell_nodes, nodes.node_count(), shape.bytes);
  const std::int64_t crossing_else = crossing_bytes_of_even(shape.bytes, nodes_of(nodes, global));
  if (crossing >= crossing_else) return std::nullopt;
  // Most of their data comes from the node itself, for which windows are best as on a single node.
  const std::int64_t most = window_bytes(options, 1);
  const std::vector<int> owners = cell_owners(cell_nodes, cells, nodes, global, most);
  const auto aggregators = static_cast<int>(global.size());
  auto table = std::make_shared<const WindowTable>(owners, aggregators, cells.size, most);
  if (!insists) {
    const std::int64_t windows_else = shape.range.length() / options.cb_buffer_size + aggregators;
    const std::int64_t cost = (table->count() - windows_else) * bytes_per_window +
                              (std::ssize(table->pieces()) - windows_else) * bytes_per_piece;
    if (crossing + cost >= crossing_else) return std::nullopt;
    if (!is_balanced(owners, aggregators)) return std::nullopt;
  }
  return Windows(shape.range, aggregators, cells, std::move(table), options.striping_unit);
}

std::vector<WindowNumber> Windows::touched(const Pattern& pattern) const {
  std::vector<WindowNumber> numbers;
  std::size_t near = 0;
  for (std::int64_t position = 0; position < pattern.size();) {
    const Piece piece = piece_at(pattern.offset_of(position));
    numbers.push_back(piece.number);
    position = pattern.bytes_below(piece.end, &near);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace headrace::plan
