#include "mpi/view.hpp"

#include <new>
#include <stdexcept>
#include <string>

#include "base/checked_math.hpp"
#include "mpi/typemap.hpp"

namespace headrace::mpi {
namespace {

/// Runs `make`, which gives a Result<plan::Pattern>; what it throws becomes a Status.
template <class Make>
Result<plan::Pattern> guarded(const char* what, const Make& make) noexcept {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return Status(ErrorClass::no_memory, std::string("no memory for ") + what);
  } catch (const std::overflow_error& error) {
    return Status(ErrorClass::other, std::string(what) + " is too large: " + error.what());
  }
}

plan::Pattern copies(const Datatype& type, std::int64_t count) {
  const plan::PlacedLayout layout = repeated(type.layout, count, type.extent);
  return {layout, 0, layout.layout ? layout.layout->size() : 0};
}

Result<plan::Pattern> tiles(const View& view, std::int64_t etype_offset, std::int64_t bytes) {
  if (bytes == 0) return plan::Pattern();
  const Datatype& tile = *view.filetype;
  if (tile.size == 0) return Status(ErrorClass::other, "access through a filetype of no bytes");
  // Only the tiles that are touched, so that neither their number nor their offsets grow with the
  // position in the file.
  const std::int64_t begin = checked_multiply(etype_offset, view.etype_size);
  const std::int64_t end = checked_add(begin, bytes);
  const std::int64_t first = begin / tile.size;
  const std::int64_t count = (end - 1) / tile.size - first + 1;
  const std::int64_t origin = checked_add(view.displacement, checked_multiply(first, tile.extent));
  const std::int64_t skipped = first * tile.size;
  return plan::Pattern(moved(repeated(tile.layout, count, tile.extent), origin), begin - skipped,
                       end - skipped);
}

}  // namespace

View default_view() {
  auto bytes = std::make_shared<Datatype>();
  bytes->layout = plan::contiguous(1);
  bytes->size = bytes->extent = bytes->true_extent = 1;
  return {0, 1, std::move(bytes)};
}

Result<plan::Pattern> memory_pattern(const Datatype& type, std::int64_t count) noexcept {
  return guarded("the buffer of a call",
                 [&]() -> Result<plan::Pattern> { return copies(type, count); });
}

Result<plan::Pattern> file_pattern(const View& view, std::int64_t etype_offset,
                                   std::int64_t bytes) noexcept {
  return guarded("the file range of a call", [&] { return tiles(view, etype_offset, bytes); });
}

std::int64_t bytes_below(const View& view, std::int64_t offset) noexcept {
  const Datatype& tile = *view.filetype;
  const std::int64_t past_first_byte = offset - view.displacement - tile.true_lb;
  if (past_first_byte <= 0) return 0;
  const std::int64_t in_last_tile = past_first_byte % tile.extent + tile.true_lb;
  return past_first_byte / tile.extent * tile.size +
         tile.layout.layout->bytes_below(in_last_tile - tile.layout.offset);
}

}  // namespace headrace::mpi
