#include "engine/call_status.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/log.hpp"

namespace headrace::engine {

namespace {

constexpr std::int64_t more_than_ranks = std::int64_t{1} << 32;

}  // namespace

std::int64_t CallStatus::announced(const Status& own) const {
  if (own.ok()) return 0;
  return static_cast<std::int64_t>(own.error_class()) * more_than_ranks + more_than_ranks - 1 -
         team_.rank;
}

Status CallStatus::agreed(const Status& own, std::int64_t worst) const {
  const auto agreed = static_cast<ErrorClass>(worst / more_than_ranks);
  const std::int64_t failed = more_than_ranks - 1 - worst % more_than_ranks;
  if (agreed != ErrorClass::ok && failed == team_.rank)
    log_error("rank {}: {}", team_.rank, own.message());
  if (agreed == own.error_class()) return own;
  return {agreed, fmt::format("{}: collective I/O failed on rank {}", path_, failed)};
}

Status CallStatus::agree(const Status& own) {
  std::array<std::int64_t, 1> worst{announced(own)};
  agreement_.reduce(worst, {});
  return agreed(own, worst[0]);
}

void CallStatus::begin(const Status& own) {
  agreement_.begin(announced(own));
  own_ = own;
}

void CallStatus::wait_for_others() {
  if (agreement_.has_begun()) not_told_ = agreed(own_, agreement_.finish());
}

Status CallStatus::settle() {
  wait_for_others();
  return std::exchange(not_told_, {});
}

}  // namespace headrace::engine
