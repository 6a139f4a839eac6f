#include "engine/staging.hpp"

#include <algorithm>

#include "base/round.hpp"

namespace headrace::engine {
namespace {

constexpr std::int64_t alignment = 64;

}  // namespace

std::int64_t Staging::reserved(int area) const {
  return static_cast<std::int64_t>(node_.reserved(region::staging + area));
}

/// The first one that has, so that memory is used that was used before; or -1.
int Staging::area_with_room(std::int64_t bytes) const {
  for (int area = 0; area < staging_areas; ++area)
    if (bytes <= reserved(area) - areas_[area].used) return area;
  return -1;
}

/// Or -1.
int Staging::largest_empty_area() const {
  int largest = -1;
  for (int area = 0; area < staging_areas; ++area)
    if (areas_[area].places == 0 && (largest < 0 || reserved(area) > reserved(largest)))
      largest = area;
  return largest;
}

bool Staging::has_place_for(std::int64_t bytes) const {
  return area_with_room(bytes) >= 0 || largest_empty_area() >= 0;
}

/// To hold as much as all that is taken, so that there need not be many areas; if that is not more
/// than will be taken, and if there is the memory.
Status Staging::grow(int area, std::int64_t bytes) {
  std::int64_t others = 0;
  for (int other = 0; other < staging_areas; ++other) others += other != area ? reserved(other) : 0;
  const std::int64_t wanted = std::max(bytes, std::min(taken_, most_ - others));
  Status status = node_.reserve(region::staging + area, static_cast<std::size_t>(wanted));
  if (!status.ok() && wanted > bytes)
    status = node_.reserve(region::staging + area, static_cast<std::size_t>(bytes));
  return status;
}

Result<Staging::Place> Staging::take(std::int64_t bytes) {
  int area = area_with_room(bytes);
  if (area < 0) {
    area = largest_empty_area();
    if (Status status = grow(area, bytes); !status.ok()) return status;
  }
  Area& of = areas_[area];
  const Place place{area, of.used, bytes};
  of.used += round_up(bytes, alignment);
  ++of.places;
  taken_ += bytes;
  return place;
}

void Staging::give_back(const Place& place) {
  if (place.area < 0) return;
  Area& of = areas_[place.area];
  if (--of.places == 0) of.used = 0;
  taken_ -= place.bytes;
}

}  // namespace headrace::engine
