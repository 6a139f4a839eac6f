// Several sources of runs as one.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "plan/pattern.hpp"

namespace headrace::plan {

/// The runs of all sources, one source after the other.
template <class Source>
class Chained {
 public:
  explicit Chained(std::vector<Source> sources) : sources_(std::move(sources)) {}

  /// The next run, in `run`; false at the end, and then `run` is untouched.
  bool next(Run& run) {
    while (source_ < sources_.size()) {
      if (sources_[source_].next(run)) return true;
      ++source_;
    }
    return false;
  }

  /// Calls visit(offset, length) for all pieces that are left, which it takes.
  template <class Visit>
  void for_each_piece(Visit&& visit) {
    for (; source_ < sources_.size(); ++source_) sources_[source_].for_each_piece(visit);
  }

  /// Whether there is one source at most, and of one piece. Precondition: none has been given.
  bool is_one_piece() const {
    return sources_.empty() || (sources_.size() == 1 && sources_.front().is_one_piece());
  }

 private:
  std::vector<Source> sources_;
  std::size_t source_ = 0;  // under way
};

}  // namespace headrace::plan
