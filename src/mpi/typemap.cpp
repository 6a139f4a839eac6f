#include "mpi/typemap.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "base/checked_math.hpp"
#include "plan/block_compressor.hpp"

namespace headrace::mpi {
namespace {

using plan::PlacedLayout;

void require_addressable(const PlacedLayout& placed) {
  if (!placed.layout) return;
  checked_add(placed.offset, placed.layout->span().begin);
  checked_add(placed.offset, placed.layout->span().end);
}

/// The arguments of scattered(), as blocks of datatypes.
class Scatter {
 public:
  Scatter(std::span<const DatatypePtr> types, const NumberList& lengths,
          const NumberList& displacements, std::int64_t unit)
      : types_(types), lengths_(lengths), displacements_(displacements), unit_(unit) {}

  std::size_t count() const { return lengths_.size(); }

  /// Every block is one range of bytes.
  bool is_flat() const {
    if (types_.size() == 1 && is_flat(type(0), two_or_more)) return true;
    for (std::size_t i = 0; i < count(); ++i)
      if (!is_flat(type(i), lengths_[i])) return false;
    return true;
  }

  /// Equal blocks at equal distances.
  bool is_regular() const {
    for (std::size_t i = 1; i < count(); ++i)
      if (lengths_[i] != lengths_[0] || types_.size() != 1 || distance(i) != distance(1))
        return false;
    return count() > 1;
  }

  PlacedLayout flat() const {
    // There may be 10^7 blocks: many at a time, so that what kind of numbers they are is not asked
    // of each, nor whether it is too large.
    constexpr std::size_t most_at_a_time = 256;
    std::array<std::int64_t, most_at_a_time> lengths{};
    std::array<std::int64_t, most_at_a_time> offsets{};
    std::int64_t total = 0;
    plan::BlockCompressor compressor(count());
    for (std::size_t first = 0; first < count(); first += most_at_a_time) {
      const std::size_t some = std::min(most_at_a_time, count() - first);
      lengths_.copy(first, std::span(lengths).first(some));
      displacements_.copy(first, std::span(offsets).first(some));
      OverflowFlag overflow;
      for (std::size_t i = 0; i < some; ++i) {
        const Datatype& each = type(first + i);
        lengths[i] = overflow.multiply(lengths[i], each.size);
        offsets[i] = overflow.add(overflow.multiply(offsets[i], unit_), each.layout.offset);
        overflow.add(offsets[i], lengths[i]);
        total = overflow.add(total, lengths[i]);
      }
      overflow.check();
      compressor.add(std::span(offsets).first(some), std::span(lengths).first(some));
    }
    return compressor.finish();
  }

  PlacedLayout regular() const {
    return moved(repeated(block(0), static_cast<std::int64_t>(count()), distance(1)),
                 displacement(0));
  }

  PlacedLayout irregular() const {
    std::vector<PlacedLayout> parts;
    parts.reserve(count());
    std::int64_t total = 0;
    PlacedLayout one;
    for (std::size_t i = 0; i < count(); ++i) {
      // Equal neighbours share their layout.
      if (i == 0 || lengths_[i] != lengths_[i - 1] || &type(i) != &type(i - 1)) one = block(i);
      parts.push_back(moved(one, displacement(i)));
      total = checked_add(total, one.layout ? one.layout->size() : 0);
    }
    return plan::sequence(parts);
  }

 private:
  static constexpr std::int64_t two_or_more = 2;

  static bool is_flat(const Datatype& type, std::int64_t length) {
    if (!type.layout.layout) return true;
    return type.layout.layout->is_contiguous() && (length <= 1 || type.size == type.extent);
  }

  const Datatype& type(std::size_t i) const { return *types_[types_.size() == 1 ? 0 : i]; }
  std::int64_t displacement(std::size_t i) const {
    return checked_multiply(displacements_[i], unit_);
  }
  std::int64_t distance(std::size_t i) const {
    return checked_add(displacement(i), checked_multiply(-1, displacement(i - 1)));
  }
  PlacedLayout block(std::size_t i) const {
    return repeated(type(i).layout, lengths_[i], type(i).extent);
  }

  std::span<const DatatypePtr> types_;
  NumberList lengths_;
  NumberList displacements_;
  std::int64_t unit_;
};

}  // namespace

PlacedLayout moved(PlacedLayout layout, std::int64_t by) {
  layout.offset = checked_add(layout.offset, by);
  require_addressable(layout);
  return layout;
}

PlacedLayout repeated(const PlacedLayout& child, std::int64_t count, std::int64_t stride) {
  if (!child.layout || count <= 0) return {};
  checked_multiply(child.layout->size(), count);
  const std::int64_t last = checked_multiply(count - 1, stride);
  require_addressable({last, child.layout});
  PlacedLayout copies = plan::repeat(child, count, stride);
  require_addressable(copies);
  return copies;
}

PlacedLayout scattered(std::span<const DatatypePtr> types, const NumberList& lengths,
                       const NumberList& displacements, std::int64_t unit) {
  const Scatter scatter(types, lengths, displacements, unit);
  if (scatter.is_flat()) return scatter.flat();
  return scatter.is_regular() ? scatter.regular() : scatter.irregular();
}

}  // namespace headrace::mpi
