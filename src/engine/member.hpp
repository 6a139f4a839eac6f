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
  /// What of this rank's pattern lies in one piece of a window, and can be moved.
  struct Part {
    Extent stream;
    std::int64_t shift;  ///< from offsets in the file to those in the window
  };

  void describe_window(plan::WindowNumber number, int slot);
  void move_through_buffer(const plan::Window& window, int aggregator, int slot);
  void move_through_staging(plan::WindowNumber number, int aggregator, int slot);
  std::span<const std::byte> places_in(plan::WindowNumber number, const std::byte* staging,
                                       int aggregator);
  std::vector<Part> parts_in(const plan::Window& window, std::int64_t readable_end) const;
  plan::RunCursor memory_of(const Part& part) const;
  void count_moved(std::span<const Part> parts);
  template <class Place, class Own>
  void move_bytes(std::byte* shared, Place place, Own own);
  bool can_move(ErrorClass failed);
  template <class Slot>
  void finish_move(Slot& slot, int owner);

  Exchange& exchange_;
};

}  // namespace headrace::engine
