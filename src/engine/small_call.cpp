#include "engine/small_call.hpp"

#include <algorithm>

#include "engine/copy.hpp"
#include "engine/window_io.hpp"
#include "plan/merge.hpp"

namespace headrace::engine {

using report::Counter;
using report::Phase;

namespace {

std::span<const std::byte> list_of(const Parcel& parcel) {
  return std::span(parcel.bytes).first(static_cast<std::size_t>(parcel.list_bytes));
}

std::byte* data_of(Parcel& parcel) {
  return parcel.bytes.data() + parcel.list_bytes;
}

/// The requests of a parcel at offsets from `begin` of the file.
plan::RunEncoder list_from(const Parcel& parcel, std::int64_t begin) {
  plan::RunEncoder list;
  plan::RunDecoder decoder(list_of(parcel));
  for (plan::Run run; decoder.next(run);) {
    run.offset += parcel.origin - begin;
    list.add(run);
  }
  list.finish();
  return list;
}

plan::RunEncoder merged(std::span<const plan::RunEncoder> lists) {
  std::vector<std::span<const std::byte>> wires;
  for (const plan::RunEncoder& list : lists)
    if (!list.bytes().empty()) wires.push_back(list.bytes());
  return plan::merge(wires, false).requests;
}

}  // namespace

bool SmallCall::show(const Call& call, bool is_write) {
  const auto list =
      measures_.clock.during(Phase::gather, [&] { return plan::small_list(call.file); });
  if (!list) return false;
  const std::int64_t bytes = call.file.size();
  Parcel& parcel = parcel_of(node_.rank());
  parcel.origin = call.file.span().begin;
  parcel.list_bytes = static_cast<std::int32_t>(list->bytes().size());
  parcel.data_bytes = static_cast<std::int32_t>(bytes);
  std::ranges::copy(list->bytes(), parcel.bytes.begin());
  if (is_write && bytes > 0)
    measures_.clock.during(Phase::copy, [&] {
      copy_runs(data_of(parcel), OneRun(0, bytes), call.buffer, plan::RunCursor(call.memory));
    });
  return true;
}

/// Of each rank; of one that has no part, an empty one.
std::vector<plan::RunEncoder> SmallCall::lists_from(std::int64_t begin) {
  std::vector<plan::RunEncoder> lists(static_cast<std::size_t>(node_.size()));
  for (int rank = 0; rank < node_.size(); ++rank)
    if (parcel_of(rank).data_bytes > 0) lists[rank] = list_from(parcel_of(rank), begin);
  return lists;
}

/// Calls move(data, its runs, places in the range) for each rank's part.
template <class Move>
void SmallCall::for_each_part(std::span<const plan::RunEncoder> lists, Move move) {
  measures_.clock.during(Phase::copy, [&] {
    for (int rank = 0; rank < node_.size(); ++rank)
      if (Parcel& parcel = parcel_of(rank); parcel.data_bytes > 0)
        move(data_of(parcel), OneRun(0, parcel.data_bytes), plan::RunDecoder(lists[rank].bytes()));
  });
}

Result<std::int64_t> SmallCall::serve(Extent range, bool is_write, storage::Storage& storage,
                                      const Options& options) {
  report::PhaseClock& clock = measures_.clock;
  const auto lists = clock.during(Phase::gather, [&] { return lists_from(range.begin); });
  const auto requests = clock.during(Phase::sort, [&] { return merged(lists); });
  measures_.counters[Counter::requests_after] += requests.summary().requests;
  if (is_write) measures_.counters[Counter::requests_in_domains] += requests.summary().requests;

  buffer_.resize(static_cast<std::size_t>(range.length()));
  std::byte* const buffer = buffer_.data();
  const plan::Window window(range);
  WindowIo io(storage, options, measures_.counters);
  storage.begin_service(range);
  if (is_write) {
    for_each_part(lists, [buffer](const std::byte* data, OneRun packed, plan::RunDecoder places) {
      copy_runs(buffer, places, data, packed);
    });
    const Status status =
        clock.during(Phase::io, [&] { return io.write(buffer, window, requests); });
    if (!status.ok()) return status;
    return range.end;
  }
  auto blocks = nothing_read(window);
  Result<std::int64_t> readable_end =
      clock.during(Phase::io, [&] { return io.read(buffer, window, requests, blocks); });
  if (readable_end.ok())
    for_each_part(lists, [buffer](std::byte* data, OneRun packed, plan::RunDecoder places) {
      copy_runs(data, packed, buffer, places);
    });
  return readable_end;
}

std::int64_t SmallCall::end(const Call& call, bool is_write, std::int64_t readable_end) {
  if (call.file.empty()) return 0;
  const std::int64_t bytes = is_write ? call.file.size() : call.file.bytes_below(readable_end);
  Parcel& own = parcel_of(node_.rank());
  if (!is_write && bytes > 0)
    measures_.clock.during(Phase::copy, [&] {
      copy_runs(call.buffer, plan::RunCursor(call.memory, 0, bytes), data_of(own),
                OneRun(0, bytes));
    });
  measures_.counters[Counter::requests_before] += plan::summary_of(list_of(own)).requests;
  ++measures_.counters[Counter::node_pieces];
  measures_.counters[Counter::node_bytes] += bytes;
  return bytes;
}

}  // namespace headrace::engine
