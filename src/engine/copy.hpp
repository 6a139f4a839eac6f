// Moving bytes between two places whose layouts are given as runs.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "plan/pattern.hpp"
#include "plan/run_codec.hpp"

namespace headrace::engine {

/// Anything with `bool next(plan::Run&)`.
template <class T>
concept RunSource = requires(T source, plan::Run run) {
  { source.next(run) } -> std::same_as<bool>;
};

/// One that also hands over all its pieces at a call, which takes less time than to ask for each,
/// and tells before it has given any whether there is one at most.
template <class T>
concept PieceSource = RunSource<T> && requires(T source) {
  source.for_each_piece([](std::int64_t /*offset*/, std::int64_t /*length*/) {});
  { source.is_one_piece() } -> std::same_as<bool>;
};

/// One contiguous stretch as a source of runs.
class OneRun {
 public:
  OneRun(std::int64_t offset, std::int64_t length) : run_{offset, length, 0, length > 0 ? 1 : 0} {}
  bool next(plan::Run& run) {
    if (run_.count == 0) return false;
    run = run_;
    run_.count = 0;
    return true;
  }
  template <class Visit>
  void for_each_piece(Visit&& visit) {
    if (std::exchange(run_.count, 0) > 0) visit(run_.offset, run_.length);
  }
  bool is_one_piece() const { return true; }
  const plan::Run& run() const { return run_; }

 private:
  plan::Run run_;
};

/// Some parts of a pattern, one after the other. Does not own them.
class PatternParts {
 public:
  /// `parts`: bytes of the pattern; none is empty.
  PatternParts(const plan::Pattern& pattern, std::span<const Extent> parts)
      : pattern_(pattern), left_(parts) {}

  bool next(plan::Run& run) {
    while (!cursor_.next(run)) {
      if (left_.empty()) return false;
      cursor_ = next_part();
    }
    return true;
  }
  template <class Visit>
  void for_each_piece(Visit&& visit) {
    cursor_.for_each_piece(visit);
    while (!left_.empty()) next_part().for_each_piece(visit);
  }
  bool is_one_piece() const {
    return left_.empty() || (left_.size() == 1 && PatternParts(*this).next_part().is_one_piece());
  }

 private:
  plan::RunCursor next_part() {
    const Extent part = left_.front();
    left_ = left_.subspan(1);
    return {pattern_, part.begin, part.end};
  }

  const plan::Pattern& pattern_;
  std::span<const Extent> left_;
  plan::RunCursor cursor_;
};

/// The runs of another source, moved by a number of bytes.
template <PieceSource Source>
class Moved {
 public:
  Moved(Source source, std::int64_t by) : source_(std::move(source)), by_(by) {}
  bool next(plan::Run& run) {
    if (!source_.next(run)) return false;
    run.offset += by_;
    return true;
  }
  template <class Visit>
  void for_each_piece(Visit&& visit) {
    source_.for_each_piece(
        [&](std::int64_t offset, std::int64_t length) { visit(offset + by_, length); });
  }
  bool is_one_piece() const { return source_.is_one_piece(); }

 private:
  Source source_;
  std::int64_t by_;
};

/// A few numbers are most of what scattered requests hold: fixed-size moves for them.
[[gnu::always_inline]] inline void copy_piece(std::byte* to, const std::byte* from,
                                              std::int64_t bytes) {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    case 12:
      std::memcpy(to, from, 12);
      break;
    case 16:
      std::memcpy(to, from, 16);
      break;
    default:
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

/// Where pieces begin that lie at one stride.
struct Strided {
  std::int64_t begin;
  std::int64_t stride;
};

/// `count` pieces of as many bytes, which are a constant or are not.
template <class Bytes>
void copy_strided_of(std::byte* to, Strided to_places, const std::byte* from, Strided from_places,
                     std::int64_t count, Bytes bytes) {
  to += to_places.begin;
  from += from_places.begin;
  for (; count > 0; --count, to += to_places.stride, from += from_places.stride)
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

inline void copy_strided(std::byte* to, Strided to_places, const std::byte* from,
                         Strided from_places, std::int64_t count, std::int64_t bytes) {
  switch (bytes) {
    case 2:
      return copy_strided_of(to, to_places, from, from_places, count,
                             std::integral_constant<std::int64_t, 2>());
    case 4:
      return copy_strided_of(to, to_places, from, from_places, count,
                             std::integral_constant<std::int64_t, 4>());
    case 8:
      return copy_strided_of(to, to_places, from, from_places, count,
                             std::integral_constant<std::int64_t, 8>());
    default:
      return copy_strided_of(to, to_places, from, from_places, count, bytes);
  }
}

/// Calls visit(places, packed places, count, bytes of each) for the pieces of each slot: unlike
/// those of one turn they are alike. For as many turns at a time as stay in the cache.
template <class Visit>
void for_each_slot(const plan::WholeTurns& turns, Visit visit) {
  constexpr std::int64_t most_at_a_time = 64;
  const plan::Interleaved& node = turns.node;
  for (std::int64_t turn = turns.begin; turn < turns.end; turn += most_at_a_time) {
    const std::int64_t count = std::min(most_at_a_time, turns.end - turn);
    const std::int64_t packed = (turn - turns.begin) * node.turn_bytes();
    for (std::size_t i = 0; i < node.strides.size(); ++i)
      visit(Strided{turns.base + node.offset_of(turn, i), node.strides[i]},
            Strided{packed + node.turn.starts[i], node.turn_bytes()}, count,
            node.turn.length_of(i));
  }
}

/// Calls visit(offset, length) for the pieces of `source`, in order, up to `bytes` bytes of them;
/// those behind are visited with no length. Where it has no more than these, visit_turns(turns) for
/// what is interleaved.
template <PieceSource Source, class Visit, class VisitTurns>
void for_each_piece(Source source, std::int64_t bytes, Visit&& visit, VisitTurns&& visit_turns) {
  if constexpr (std::same_as<Source, plan::RunCursor>) {
    if (source.left() <= bytes)
      return source.for_each(
          visit, [&](const plan::Run& run) { run.for_each_piece(visit); }, visit_turns);
  }
  source.for_each_piece([&](std::int64_t offset, std::int64_t length) {
    length = std::min(length, bytes);
    visit(offset, length);
    bytes -= length;
  });
}

/// Takes the pieces of a source in portions of any number of bytes.
template <RunSource Source>
class PieceTaker {
 public:
  explicit PieceTaker(Source source) : source_(std::move(source)) {}

  /// Calls visit(offset, length) for the next `bytes` bytes, of which there may be fewer.
  template <class Visit>
  void take(std::int64_t bytes, Visit&& visit) {
    if (left_.length > bytes) return visit_part(bytes, visit);
    if (left_.length > 0) {
      bytes -= left_.length;
      visit_part(left_.length, visit);
    }
    // Of a variable of its own, as those of the object might be what `visit` writes to.
    plan::Run run = run_;
    while (bytes > 0 && (run.count > 0 || source_.next(run))) {
      const std::int64_t length = std::min(run.length, bytes);
      visit(run.offset, length);
      bytes -= length;
      left_ = {run.offset + length, run.length - length};
      run.offset += run.stride;
      --run.count;
    }
    run_ = run;
  }

 private:
  struct Piece {
    std::int64_t offset;
    std::int64_t length;
  };

  template <class Visit>
  void visit_part(std::int64_t bytes, Visit&& visit) {
    const std::int64_t offset = left_.offset;
    left_ = {offset + bytes, left_.length - bytes};
    visit(offset, bytes);
  }

  Source source_;
  Piece left_{0, 0};           // of a piece that was taken in part
  plan::Run run_{0, 0, 0, 0};  // behind it
};

/// Calls visit(offset of one, offset of the other, bytes) for what is one piece on both sides,
/// until either ends. Best where the pieces of `longer` are.
template <PieceSource Longer, PieceSource Shorter, class Visit>
void for_each_common_piece(Longer longer, Shorter shorter, Visit&& visit) {
  PieceTaker taker(std::move(shorter));
  longer.for_each_piece([&](std::int64_t outer, std::int64_t bytes) {
    taker.take(bytes, [&](std::int64_t inner, std::int64_t length) {
      visit(outer, inner, length);
      outer += length;
    });
  });
}

/// Piece by piece, until either side ends; of a single stretch there is less to keep track of.
template <PieceSource To, PieceSource From>
void copy_pieces(std::byte* to, To to_runs, const std::byte* from, From from_runs) {
  // Lists are of the file, of which mostly less lies in one piece than of memory.
  if constexpr (std::same_as<To, plan::RunDecoder>)
    for_each_common_piece(std::move(from_runs), std::move(to_runs),
                          [&](std::int64_t source, std::int64_t target, std::int64_t bytes) {
                            copy_piece(to + target, from + source, bytes);
                          });
  else
    for_each_common_piece(std::move(to_runs), std::move(from_runs),
                          [&](std::int64_t target, std::int64_t source, std::int64_t bytes) {
                            copy_piece(to + target, from + source, bytes);
                          });
}

template <PieceSource To>
void copy_pieces(std::byte* to, To to_runs, const std::byte* from, OneRun from_run) {
  from += from_run.run().offset;
  const auto copy = [&](std::int64_t offset, std::int64_t length) {
    copy_piece(to + offset, from, length);
    from += length;
  };
  const auto copy_turns = [&](const plan::WholeTurns& turns) {
    for_each_slot(turns,
                  [&](Strided apart, Strided packed, std::int64_t count, std::int64_t bytes) {
                    copy_strided(to, apart, from, packed, count, bytes);
                  });
    from += turns.bytes();
  };
  for_each_piece(std::move(to_runs), from_run.run().bytes(), copy, copy_turns);
}

template <PieceSource From>
void copy_pieces(std::byte* to, OneRun to_run, const std::byte* from, From from_runs) {
  to += to_run.run().offset;
  const auto copy = [&](std::int64_t offset, std::int64_t length) {
    copy_piece(to, from + offset, length);
    to += length;
  };
  const auto copy_turns = [&](const plan::WholeTurns& turns) {
    for_each_slot(turns,
                  [&](Strided apart, Strided packed, std::int64_t count, std::int64_t bytes) {
                    copy_strided(to, packed, from, apart, count, bytes);
                  });
    to += turns.bytes();
  };
  for_each_piece(std::move(from_runs), to_run.run().bytes(), copy, copy_turns);
}

inline void copy_pieces(std::byte* to, OneRun to_run, const std::byte* from, OneRun from_run) {
  const std::int64_t bytes = std::min(to_run.run().bytes(), from_run.run().bytes());
  std::memcpy(to + to_run.run().offset, from + from_run.run().offset,
              static_cast<std::size_t>(bytes));
}

/// use(source), or use(OneRun) if that is all of it.
template <PieceSource Source, class Use>
void in_shortest_form(Source source, Use use) {
  if (!source.is_one_piece()) return use(std::move(source));
  plan::Run run{0, 0, 0, 0};
  source.next(run);
  use(OneRun(run.offset, run.bytes()));
}

/// Copies the bytes of `from_runs` (offsets relative to `from`), in order, to those of `to_runs`
/// (relative to `to`), until either ends.
template <PieceSource To, PieceSource From>
void copy_runs(std::byte* to, To to_runs, const std::byte* from, From from_runs) {
  in_shortest_form(std::move(to_runs), [&](auto target) {
    in_shortest_form(std::move(from_runs), [&](auto source) {
      copy_pieces(to, std::move(target), from, std::move(source));
    });
  });
}

}  // namespace headrace::engine
