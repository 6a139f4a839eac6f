// Moving bytes between two places whose layouts are given as runs.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "plan/pattern.hpp"

namespace headrace::engine {

/// Anything with `bool next(plan::Run&)`.
template <class T>
concept RunSource = requires(T source, plan::Run run) {
  { source.next(run) } -> std::same_as<bool>;
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

 private:
  plan::Run run_;
};

/// The runs of another source, moved by a number of bytes.
template <RunSource Source>
class Moved {
 public:
  Moved(Source source, std::int64_t by) : source_(std::move(source)), by_(by) {}
  bool next(plan::Run& run) {
    if (!source_.next(run)) return false;
    run.offset += by_;
    return true;
  }

 private:
  Source source_;
  std::int64_t by_;
};

/// Steps through the pieces of a source, by any number of bytes.
template <RunSource Source>
class PieceWalker {
 public:
  explicit PieceWalker(Source source) : source_(std::move(source)) {
    at_end_ = !source_.next(run_);
  }

  bool at_end() const { return at_end_; }
  std::int64_t offset() const { return run_.offset + passed_; }
  std::int64_t left() const { return run_.length - passed_; }
  /// Precondition: bytes <= left().
  void advance(std::int64_t bytes) {
    passed_ += bytes;
    if (passed_ < run_.length) return;
    passed_ = 0;
    run_.offset += run_.stride;
    if (--run_.count == 0) at_end_ = !source_.next(run_);
  }

 private:
  Source source_;
  plan::Run run_;
  std::int64_t passed_ = 0;
  bool at_end_;
};

/// The sizes of single numbers are most of what scattered requests hold: fixed-size moves for them.
inline void copy_piece(std::byte* to, const std::byte* from, std::int64_t bytes) {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

/// Copies the bytes of `from_runs` (offsets relative to `from`), in order, to those of `to_runs`
/// (relative to `to`), until either ends.
template <RunSource To, RunSource From>
void copy_runs(std::byte* to, To to_runs, const std::byte* from, From from_runs) {
  PieceWalker target(std::move(to_runs));
  PieceWalker source(std::move(from_runs));
  while (!target.at_end() && !source.at_end()) {
    const std::int64_t bytes = std::min(target.left(), source.left());
    copy_piece(to + target.offset(), from + source.offset(), bytes);
    target.advance(bytes);
    source.advance(bytes);
  }
}

}  // namespace headrace::engine
