#include "storage/model/model_storage.hpp"

#include <algorithm>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>

#include "storage/forwarding_storage.hpp"

namespace headrace::storage {
namespace {

class SteadyClock final : public Clock {
 public:
  Time now() override { return std::chrono::steady_clock::now(); }
  void sleep_until(Time time) override { std::this_thread::sleep_until(time); }
};

class ModelStorage final : public ForwardingStorage {
 public:
  ModelStorage(std::unique_ptr<Storage> storage, const StripeModel& model, Clock& clock)
      : ForwardingStorage(std::move(storage)), model_(model), clock_(clock) {}

  Status write(std::int64_t offset, std::span<const std::byte> data) override {
    const Extent range = range_of(offset, data.size());
    return timed(range, [&] { return ForwardingStorage::write(offset, data); });
  }

  Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> data) override {
    const Extent range = range_of(offset, data.size());
    return timed(range, [&] { return ForwardingStorage::read(offset, data); });
  }

  void begin_service(Extent range) override {
    ForwardingStorage::begin_service(range);
    const Extent stripes = stripes_of(range);
    served_.erase(served_.lower_bound(stripes.begin), served_.lower_bound(stripes.end));
  }

  Traits traits() const override {
    Traits traits = ForwardingStorage::traits();
    traits.stripe_size = model_.size;
    traits.stripe_count = model_.count;
    traits.slow = true;
    return traits;
  }

 private:
  static Extent range_of(std::int64_t offset, std::size_t bytes) {
    return {offset, offset + static_cast<std::int64_t>(bytes)};
  }

  /// By number, those that `range` touches.
  Extent stripes_of(Extent range) const {
    if (range.empty()) return {};
    return {range.begin / model_.size, (range.end - 1) / model_.size + 1};
  }

  /// How many of the stripes have not been served yet; from now on they have.
  std::int64_t newly_served(Extent stripes) {
    std::int64_t count = 0;
    for (std::int64_t stripe = stripes.begin; stripe < stripes.end; ++stripe)
      count += served_.insert(stripe).second ? 1 : 0;
    return count;
  }

  template <class Move>
  std::invoke_result_t<Move> timed(Extent range, Move move) {
    const Clock::Time begin = clock_.now() - late_;
    auto moved = move();
    if (succeeded(moved)) {
      if (const std::int64_t stripes = newly_served(stripes_of(range)))
        sleep_until(begin + stripes * model_.time);
    }
    return moved;
  }

  static bool succeeded(const Status& status) { return status.ok(); }
  static bool succeeded(const Result<std::int64_t>& result) { return result.ok(); }

  void sleep_until(Clock::Time end) {
    clock_.sleep_until(end);
    late_ = std::max(clock_.now() - end, Clock::Time::duration::zero());
  }

  StripeModel model_;
  Clock& clock_;
  std::set<std::int64_t> served_;  // stripes, in the service that touched them last
  Clock::Time::duration late_{0};  // of the last sleep
};

}  // namespace

Clock& steady_clock() noexcept {
  static SteadyClock clock;
  return clock;
}

std::unique_ptr<Storage> with_stripe_times(std::unique_ptr<Storage> storage,
                                           const StripeModel& model, Clock& clock) {
  return std::make_unique<ModelStorage>(std::move(storage), model, clock);
}

}  // namespace headrace::storage
