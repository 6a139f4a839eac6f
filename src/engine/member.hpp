// What every rank does in an exchange: tell its local aggregator which requests it has, and move
// its data to or from where it is told.
#pragma once

#include <span>
#include <vector>

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
  void keep_own(plan::WindowNumber number, bool has_pieces, plan::WindowPart own);
  void move_through_buffer(plan::WindowNumber number, int aggregator, int slot);
  void move_in_buffer(plan::WindowNumber number, const plan::Window& window, std::byte* buffer,
                      std::span<const Extent> stream);
  void move_through_staging(plan::WindowNumber number, int aggregator, int slot);
  std::span<const std::byte> places_in(plan::WindowNumber number, const std::byte* staging,
                                       int aggregator);
  std::span<const Extent> stream_in(plan::WindowNumber number, const plan::Window& window,
                                    std::int64_t readable_end);
  template <class Place>
  void move_bytes(std::byte* shared, Place place, std::span<const Extent> stream);
  bool can_move(ErrorClass failed);
  template <class Slot>
  void finish_move(Slot& slot, int owner);

  Exchange& exchange_;
  std::vector<Extent> stream_;  // of one window, where none is kept
};

}  // namespace headrace::engine
