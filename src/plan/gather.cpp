#include "plan/gather.hpp"

#include <algorithm>
#include <cstring>

#include "plan/merge.hpp"

namespace headrace::plan {
namespace {

/// In front of the lists: how many there are, then the length of each.
std::vector<std::byte> packed(std::span<const std::span<const std::byte>> lists) {
  std::vector<std::int64_t> table{std::ssize(lists)};
  std::size_t bytes = 0;
  for (const auto& list : lists) {
    table.push_back(std::ssize(list));
    bytes += list.size();
  }
  const auto front = std::as_bytes(std::span(table));
  std::vector<std::byte> all;
  all.reserve(front.size() + bytes);
  all.insert(all.end(), front.begin(), front.end());
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<std::span<const std::byte>> wires_of(std::span<const GatherSource> sources) {
  std::vector<std::span<const std::byte>> wires;
  wires.reserve(sources.size());
  for (const GatherSource& source : sources) wires.push_back(source.wire);
  return wires;
}

Gathered merged(std::span<const GatherSource> sources, Merged merged) {
  Cuts cuts;
  for (const GatherSource& source : sources) cuts |= source.cuts;
  const std::span<const std::byte> list = merged.requests.bytes();
  return {packed({&list, 1}), std::move(merged.places),
          merged.requests.summary().requests - cuts.count(), merged.requests.summary().data_bytes};
}

/// Of one source, and where its data begins among that of the group.
void add_beside(Gathered& gathered, const GatherSource& source, bool with_places) {
  const ListSummary list = summary_of(source.wire);
  if (with_places) {
    RunEncoder& place = gathered.places.emplace_back();
    if (list.data_bytes > 0) place.add(gathered.data_bytes, list.data_bytes);
    place.finish();
  }
  gathered.requests += list.requests - source.cuts.count();
  gathered.data_bytes += list.data_bytes;
}

}  // namespace

Gathered gather(std::span<const GatherSource> sources, bool with_places) {
  const auto wires = wires_of(sources);
  if (auto all = merge_if_worth(wires, with_places)) return merged(sources, std::move(*all));
  Gathered gathered;
  gathered.lists = packed(wires);
  for (const GatherSource& source : sources) add_beside(gathered, source, with_places);
  return gathered;
}

Gathered gather_at_home(std::span<const GatherSource> sources) {
  return merged(sources, merge(wires_of(sources), false));
}

std::vector<std::span<const std::byte>> lists_in(std::span<const std::byte> packed) {
  std::vector<std::span<const std::byte>> lists;
  if (packed.empty()) return lists;
  const auto number = [packed](std::int64_t index) {
    std::int64_t value = 0;
    std::memcpy(&value, packed.data() + index * sizeof value, sizeof value);
    return value;
  };
  const std::int64_t count = number(0);
  auto rest = packed.subspan((count + 1) * sizeof count);
  lists.reserve(count);
  for (std::int64_t list = 0; list < count; ++list) {
    const auto bytes = static_cast<std::size_t>(number(list + 1));
    lists.push_back(rest.first(bytes));
    rest = rest.subspan(bytes);
  }
  return lists;
}

Chained<RunDecoder> runs_of(std::span<const std::byte> packed) {
  const auto lists = lists_in(packed);
  return Chained(std::vector<RunDecoder>(lists.begin(), lists.end()));
}

}  // namespace headrace::plan
