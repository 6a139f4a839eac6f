// Where a local aggregator has what is under way: areas of its node memory, each of them for
// several windows. An area for each would be little memory that every member of the group must map.
#pragma once

#include <array>
#include <cstdint>

#include "base/status.hpp"
#include "engine/board.hpp"

namespace headrace::engine {

/// For the time of one call; the areas are kept from call to call.
class Staging {
 public:
  /// Part of an area, aligned to 64 bytes; or none.
  struct Place {
    int area = -1;
    std::int64_t begin = 0;
    std::int64_t bytes = 0;
  };

  /// `node`, whose rank has its staging regions by this alone, outlives the object. `most`: how
  /// many bytes are to be taken at one time.
  Staging(transport::NodeMemory& node, std::int64_t most) : node_(node), most_(most) {}

  /// How many more are. Below 0 where more was taken, which is not refused.
  std::int64_t room() const noexcept { return most_ - taken_; }
  /// Whether take() would find a place. It does where fewer than staging_areas are taken.
  bool has_place_for(std::int64_t bytes) const;
  /// Precondition: has_place_for(bytes). Fails where there is no memory for it.
  Result<Place> take(std::int64_t bytes);
  void give_back(const Place& place);

 private:
  struct Area {
    std::int64_t used = 0;  // bytes, from its begin, since it was last empty
    int places = 0;
  };

  int area_with_room(std::int64_t bytes) const;
  int largest_empty_area() const;
  std::int64_t reserved(int area) const;
  Status grow(int area, std::int64_t bytes);

  transport::NodeMemory& node_;
  const std::int64_t most_;
  std::array<Area, staging_areas> areas_{};
  std::int64_t taken_ = 0;
};

}  // namespace headrace::engine
