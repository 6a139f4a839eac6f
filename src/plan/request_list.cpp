#include "plan/request_list.hpp"

#include <span>

namespace headrace::plan {
namespace {

const char* side_name(ListSide side) {
  return side == ListSide::file ? "file" : "memory";
}

std::string complain(ListSide side, std::int64_t entry, const char* what) {
  return std::string(side_name(side)) + " list, entry " + std::to_string(entry) + ": " + what;
}

/// What is wrong with the entry [offset, offset + length), the file entries before it ending at
/// `previous_end`; null if nothing is. `end` is where it ends.
const char* entry_complaint(ListSide side, std::int64_t offset, std::int64_t length,
                            std::int64_t previous_end, std::int64_t& end) {
  if (__builtin_add_overflow(offset, length, &end)) return "ends beyond 2^63";
  if (side == ListSide::memory) return nullptr;
  if (offset < 0) return "the offset is negative";
  if (offset < previous_end) return "begins before the end of an entry before it";
  return nullptr;
}

}  // namespace

ListCheck check_list(const RequestList& list, ListSide side) {
  const std::string name = side_name(side);
  if (list.count < 0) return {0, name + " list: the number of entries is negative"};
  if (list.count > 0 && (list.offsets == nullptr || list.lengths == nullptr))
    return {0, name + " list: entries, but no arrays (NULL)"};
  ListCheck check;
  std::int64_t previous_end = 0;
  for (std::int64_t i = 0; i < list.count; ++i) {
    const std::int64_t length = list.lengths[i];
    if (length < 0) return {0, complain(side, i, "the length is negative")};
    if (length == 0) continue;
    if (const char* what =
            entry_complaint(side, list.offsets[i], length, previous_end, previous_end))
      return {0, complain(side, i, what)};
    if (__builtin_add_overflow(check.bytes, length, &check.bytes))
      return {0, complain(side, i, "the total is over 2^63 bytes")};
  }
  return check;
}

Pattern pattern_of_list(const RequestList& list) {
  const auto count = static_cast<std::size_t>(list.count);
  return Pattern(blocks(std::span(list.offsets, count), std::span(list.lengths, count)));
}

}  // namespace headrace::plan
