// Lists of windows in wire form: what ranks publish, and local aggregators announce.
#pragma once

#include <cstddef>
#include <span>

#include "plan/plan.hpp"
#include "plan/run_codec.hpp"

namespace headrace::engine {

/// Of windows in ascending order.
inline plan::RunEncoder encoded_windows(std::span<const plan::WindowNumber> numbers) {
  plan::RunEncoder encoder;
  for (const plan::WindowNumber number : numbers) encoder.add(number, 1);
  encoder.finish();
  return encoder;
}

/// Calls visit(number) for each window of such a list.
template <class Visit>
void for_each_window(std::span<const std::byte> list, Visit visit) {
  plan::RunDecoder(list).for_each_piece([&](plan::WindowNumber first, std::int64_t count) {
    for (std::int64_t n = 0; n < count; ++n) visit(first + n);
  });
}

}  // namespace headrace::engine
