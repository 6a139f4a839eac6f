// What of the file a window is: mostly one piece. Where file domains are placed
// (domain_placement.hpp) it may be several, apart, as the data of a node often lies in many short
// ones: served one by one they would cost more to agree on than to move.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/extent.hpp"
#include "plan/pattern.hpp"
#include "plan/run_codec.hpp"

namespace headrace::plan {

/// Bytes and requests of a window have window offsets, which are offsets in its collective buffer:
/// pieces one behind the other, with a gap between them, so that requests of two of them never
/// touch. In the first piece they are the distance from the window's begin.
class Window {
 public:
  struct Piece {
    Extent file;
    std::int64_t offset;  ///< of its first byte in the window

    std::int64_t end() const noexcept { return offset + file.length(); }  ///< in the window
  };
  static constexpr int most_pieces = 64;  // as Cuts has bits

  Window() = default;
  /// Of one piece.
  explicit Window(Extent file) : pieces_{{file, 0}} {}

  /// Precondition: not empty, behind the last piece and not touching it; fewer than most_pieces.
  void add(Extent file) {
    pieces_.push_back({file, pieces_.empty() ? 0 : offset_behind(length())});
  }

  /// Ascending.
  std::span<const Piece> pieces() const noexcept { return pieces_; }
  /// Of a buffer for all pieces and what is between them.
  std::int64_t length() const noexcept { return pieces_.empty() ? 0 : pieces_.back().end(); }

  /// Where the piece behind one that ends at `end` begins: in another cache line.
  static constexpr std::int64_t offset_behind(std::int64_t end) noexcept {
    return end / cache_line * cache_line + cache_line;
  }

 private:
  static constexpr std::int64_t cache_line = 64;

  std::vector<Piece> pieces_;
};

/// Which bytes of `pattern` lie in `window`, in front of `limit` in the file: ascending, not empty,
/// one behind the other not touching. Precondition: pattern.monotone().
std::vector<Extent> stream_in(const Pattern& pattern, const Window& window,
                              std::int64_t limit = std::numeric_limits<std::int64_t>::max());

/// What of a pattern lies in a window.
struct WindowPart {
  RunEncoder requests;         ///< at window offsets
  std::vector<Extent> stream;  ///< stream_in's
};
/// Precondition: pattern.monotone().
WindowPart part_in(const Pattern& pattern, const Window& window);
/// Its requests alone.
inline RunEncoder encode_window(const Pattern& pattern, const Window& window) {
  return part_in(pattern, window).requests;
}

/// The requests of each piece, at distances from its begin. `requests`: of the window.
std::vector<RunEncoder> by_piece(const RunEncoder& requests, const Window& window);

/// Where the begins of a window's pieces may have cut requests in two; a bit for each piece. To be
/// united over ranks: one may ask for what is before, and another for what is behind.
struct Cuts {
  std::uint64_t before = 0;  ///< the byte just before the piece is asked for
  std::uint64_t behind = 0;  ///< so is the first of the piece

  Cuts& operator|=(const Cuts& other) noexcept {
    before |= other.before;
    behind |= other.behind;
    return *this;
  }
  /// How many of the window's requests begin in front of it. A request is counted where it begins.
  int count() const noexcept { return std::popcount(before & behind); }
  bool operator==(const Cuts&) const = default;
};

/// Precondition: pattern.monotone().
Cuts cuts_of(const Pattern& pattern, const Window& window);

}  // namespace headrace::plan
