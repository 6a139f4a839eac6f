#include "plan/block_compressor.hpp"

#include <utility>

namespace headrace::plan {

/// Begins a list with it, or makes it a part of its own if it is too long for any.
void BlockCompressor::put_elsewhere(const Block& block) {
  flush_list();
  if (static_cast<std::uint64_t>(block.length) >> 32U != 0) {
    parts_.push_back({block.offset, contiguous(block.length).layout});
    return;
  }
  origin_ = block.offset;
  // For all blocks to come: memory that is not touched costs nothing, lists that grow are copied.
  list_.offsets.reserve(left_);
  list_.starts.reserve(left_ + 1);
  list_.offsets.push_back(0);
  list_.starts.push_back(static_cast<std::uint32_t>(block.length));
}

void BlockCompressor::flush_alike() {
  if (alike_ < shortest_run) return put_first(alike_);
  flush_list();
  PlacedLayout run = repeat(contiguous(last_.length), alike_, stride_);
  run.offset += last_.offset - (alike_ - 1) * stride_;
  parts_.push_back(std::move(run));
}

/// The list, which leaves its memory to the next one if it has used little of it.
Blocks BlockCompressor::take_list() {
  left_ -= list_.offsets.size();
  if (list_.offsets.size() >= list_.offsets.capacity() / 2)
    return std::exchange(list_, Blocks{{}, {0}});
  Blocks taken{{list_.offsets.begin(), list_.offsets.end()},
               {list_.starts.begin(), list_.starts.end()}};
  list_.offsets.clear();
  list_.starts.resize(1);
  return taken;
}

void BlockCompressor::flush_list() {
  if (list_.offsets.empty()) return;
  Blocks list = take_list();
  LayoutPtr layout = list.offsets.size() == 1 ? contiguous(list.length_of(0)).layout
                                              : std::make_shared<const Layout>(std::move(list));
  parts_.push_back({origin_, std::move(layout)});
}

PlacedLayout BlockCompressor::finish() {
  put_open();
  flush_alike();
  flush_list();
  return sequence(parts_);
}

}  // namespace headrace::plan
