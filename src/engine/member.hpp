// What every rank does in an exchange: tell its local aggregator which requests it has, and move
// its data to or from where it is told.
#pragma once

#include "engine/exchange.hpp"

namespace headrace::engine {

class Member {
 public:
  explicit Member(Exchange& exchange) : exchange_(exchange) {}

  /// Describes this rank's requests, window by window.
  Task describe();
  /// Moves its data, window by window.
  Task move();

 private:
  void describe_window(plan::WindowNumber number, int slot);
  bool touches_byte_before(std::int64_t offset) const;
  void move_through_buffer(Extent window, int aggregator, int slot);
  void move_through_staging(plan::WindowNumber number, int aggregator, int slot);
  std::span<const std::byte> places_in(plan::WindowNumber number, const std::byte* staging,
                                       int aggregator);
  Extent stream_range(Extent window, std::int64_t readable_end) const;
  template <class Place>
  void move_bytes(std::byte* shared, Place place, Extent range);
  bool can_move(ErrorClass failed);
  template <class Slot>
  void finish_move(Slot& slot, int owner);

  Exchange& exchange_;
};

}  // namespace headrace::engine
