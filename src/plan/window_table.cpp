#include "plan/window_table.hpp"

#include <algorithm>

#include "plan/window.hpp"

namespace headrace::plan {

WindowTable::WindowTable(std::span<const int> owners, int aggregators, std::int64_t cell,
                         std::int64_t window_bytes)
    : domains_(aggregators) {
  std::vector<std::int64_t> lengths(aggregators);  // of the last window of each
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const int owner = owners[i];
    auto& windows = domains_[owner];
    std::int64_t& length = lengths[owner];
    const Extent places{static_cast<std::int64_t>(i) * cell,
                        static_cast<std::int64_t>(i + 1) * cell};
    const bool continues = i > 0 && owners[i - 1] == owner;
    if (continues && length + cell <= window_bytes) {
      pieces_.back().places.end = places.end;
      length += cell;
      continue;
    }
    // What continues does not fit.
    const std::int64_t offset = Window::offset_behind(length);
    const bool fits = !continues && !windows.empty() && offset + cell <= window_bytes &&
                      windows.back().size() < Window::most_pieces;
    if (!fits) windows.emplace_back();
    length = fits ? offset + cell : cell;
    windows.back().push_back(static_cast<int>(pieces_.size()));
    pieces_.push_back({places, (std::ssize(windows) - 1) * aggregators + owner});
  }
}

std::int64_t WindowTable::count() const noexcept {
  std::int64_t count = 0;
  for (const auto& windows : domains_) count += std::ssize(windows);
  return count;
}

const WindowTable::Piece& WindowTable::piece_at(std::int64_t place) const noexcept {
  const auto behind = std::ranges::upper_bound(
      pieces_, place, {}, [](const Piece& piece) { return piece.places.begin; });
  return *std::prev(behind);
}

std::span<const int> WindowTable::pieces_of(WindowNumber number) const noexcept {
  return domains_[number % std::ssize(domains_)][number / std::ssize(domains_)];
}

}  // namespace headrace::plan
