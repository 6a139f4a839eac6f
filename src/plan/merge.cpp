#include "plan/merge.hpp"

#include <algorithm>
#include <limits>

#include "plan/coverage_map.hpp"

namespace headrace::plan {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

struct Source {
  RunDecoder decoder;
  Run run{0, 0, 0, 0};  // what is left of the run under way

  /// Drops the first `pieces` pieces of the run. False if the source has ended.
  bool advance(std::int64_t pieces) {
    run.offset += pieces * run.stride;
    run.count -= pieces;
    return run.count > 0 || decoder.next(run);
  }
};

/// A binary heap of sources, the one with the lowest next offset on top; ties by source number.
class SourceHeap {
 public:
  explicit SourceHeap(std::vector<Source>& sources) : sources_(sources) {
    for (std::size_t k = 0; k < sources.size(); ++k)
      if (sources[k].decoder.next(sources[k].run)) entries_.push_back({sources[k].run.offset, k});
    for (std::size_t i = entries_.size() / 2; i-- > 0;) sift_down(i);
  }

  bool empty() const { return entries_.empty(); }
  std::size_t top() const { return entries_[0].source; }
  /// The lowest next offset of all sources but the top one.
  std::int64_t second_offset() const {
    std::int64_t lowest = never;
    for (std::size_t i = 1; i < std::min<std::size_t>(3, entries_.size()); ++i)
      lowest = std::min(lowest, entries_[i].offset);
    return lowest;
  }
  /// Drops pieces of the top source, and restores the order.
  void advance_top(std::int64_t pieces) {
    Source& source = sources_[top()];
    if (source.advance(pieces)) {
      entries_[0].offset = source.run.offset;
    } else {
      entries_[0] = entries_.back();
      entries_.pop_back();
    }
    sift_down(0);
  }

 private:
  struct Entry {
    std::int64_t offset;
    std::size_t source;
    bool operator<(const Entry& other) const {
      return offset != other.offset ? offset < other.offset : source < other.source;
    }
  };

  void sift_down(std::size_t hole) {
    const std::size_t size = entries_.size();
    if (hole >= size) return;
    const Entry sinking = entries_[hole];
    for (std::size_t child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && entries_[child + 1] < entries_[child]) ++child;
      if (!(entries_[child] < sinking)) break;
      entries_[hole] = entries_[child];
      hole = child;
    }
    entries_[hole] = sinking;
  }

  std::vector<Source>& sources_;
  std::vector<Entry> entries_;
};

/// The union as it grows: what of a piece is new, and where it lies in the packed union.
class Union {
 public:
  explicit Union(RunEncoder& requests) : requests_(requests) {}

  std::int64_t end() const { return end_; }

  /// Precondition: run.offset is not below any offset given before; a run of several pieces lies
  /// at or after end(). Returns the packed position of its first byte.
  std::int64_t add(const Run& run) {
    if (run.offset >= end_) {
      const std::int64_t position = packed_;
      requests_.add(run);
      packed_ += run.bytes();
      end_ = run.end();
      return position;
    }
    const std::int64_t position = packed_ - (end_ - run.offset);
    if (run.end() > end_) {
      requests_.add(end_, run.end() - end_);
      packed_ += run.end() - end_;
      end_ = run.end();
    }
    return position;
  }

 private:
  RunEncoder& requests_;
  std::int64_t end_ = 0;
  std::int64_t packed_ = 0;
};

/// How many pieces of `run` may be taken at once: those that end before any other source begins.
std::int64_t pieces_before(const Run& run, std::int64_t bound, std::int64_t union_end) {
  if (run.count == 1 || run.offset < union_end) return 1;
  if (run.end() <= bound) return run.count;
  const std::int64_t room = bound - run.offset - run.length;
  return room < 0 ? 1 : std::min(run.count, room / run.stride + 1);
}

Merged merge_in_order(std::span<const std::span<const std::byte>> wires, bool with_places) {
  Merged merged{RunEncoder(), std::vector<RunEncoder>(with_places ? wires.size() : 0)};
  std::vector<Source> sources;
  sources.reserve(wires.size());
  for (const auto& wire : wires) sources.push_back({RunDecoder(wire)});

  Union all(merged.requests);
  for (SourceHeap heap(sources); !heap.empty();) {
    const std::size_t k = heap.top();
    Run run = sources[k].run;
    run.count = pieces_before(run, heap.second_offset(), all.end());
    const std::int64_t position = all.add(run);
    if (with_places) merged.places[k].add(position, run.bytes());
    heap.advance_top(run.count);
  }
  merged.requests.finish();
  for (RunEncoder& places : merged.places) places.finish();
  return merged;
}

RunEncoder places_in(const CoverageMap& map, std::span<const std::byte> wire) {
  RunEncoder places;
  RunDecoder(wire).for_each_piece(
      [&](std::int64_t offset, std::int64_t length) { places.add(map.position(offset), length); });
  places.finish();
  return places;
}

bool is_worth_it(const ListSummary& before, std::int64_t requests, std::int64_t bytes) {
  const auto much_less = [](std::int64_t left, std::int64_t of) { return 3 * left <= 2 * of; };
  return much_less(requests, before.requests) || much_less(bytes, before.data_bytes);
}

/// Of the lists, one by one.
ListSummary summary_of_all(std::span<const std::span<const std::byte>> wires) {
  ListSummary all{0, 0, {never, 0}};
  for (const auto& wire : wires) {
    const ListSummary list = summary_of(wire);
    if (list.requests == 0) continue;
    all.requests += list.requests;
    all.data_bytes += list.data_bytes;
    all.span = {std::min(all.span.begin, list.span.begin), std::max(all.span.end, list.span.end)};
  }
  return all;
}

/// A step of the heap costs about as much as to clear, mark and scan this many bytes of a map.
constexpr std::int64_t bytes_per_step = 1024;
/// What one map may be of: half a GiB would take 96 MiB.
constexpr std::int64_t longest_map = std::int64_t{512} << 20;

bool is_to_be_marked(const ListSummary& all) {
  return all.requests > 0 && all.span.length() <= longest_map &&
         all.span.length() / all.requests < bytes_per_step;
}

CoverageMap marked(std::span<const std::span<const std::byte>> wires, Extent span) {
  CoverageMap map(span);
  for (const auto& wire : wires) map.mark(wire);
  return map;
}

Merged merged_in(CoverageMap map, std::span<const std::span<const std::byte>> wires,
                 bool with_places) {
  Merged merged{map.requests(), {}};
  if (!with_places) return merged;
  map.number_bytes();
  for (const auto& wire : wires) merged.places.push_back(places_in(map, wire));
  return merged;
}

Merged alone(std::span<const std::byte> wire, bool with_places) {
  Merged merged{RunEncoder(wire), {}};
  if (!with_places) return merged;
  RunEncoder& all = merged.places.emplace_back();
  if (!wire.empty()) all.add(0, merged.requests.summary().data_bytes);
  all.finish();
  return merged;
}

}  // namespace

Merged merge(std::span<const std::span<const std::byte>> wires, bool with_places) {
  if (wires.size() == 1) return alone(wires[0], with_places);
  const ListSummary all = summary_of_all(wires);
  return is_to_be_marked(all) ? merged_in(marked(wires, all.span), wires, with_places)
                              : merge_in_order(wires, with_places);
}

std::optional<Merged> merge_if_worth(std::span<const std::span<const std::byte>> wires,
                                     bool with_places) {
  if (wires.size() < 2) return std::nullopt;
  const ListSummary all = summary_of_all(wires);
  if (is_to_be_marked(all)) {
    CoverageMap map = marked(wires, all.span);
    if (!is_worth_it(all, map.marked_requests(), map.marked_bytes())) return std::nullopt;
    return merged_in(std::move(map), wires, with_places);
  }
  Merged merged = merge_in_order(wires, with_places);
  const ListSummary& left = merged.requests.summary();
  if (!is_worth_it(all, left.requests, left.data_bytes)) return std::nullopt;
  return merged;
}

}  // namespace headrace::plan
