// A file on storage targets that are imagined: any storage, with stripes, and a time that each
// stripe takes. Sleeping takes it, so that many aggregators are served at once on few cores.
#pragma once

#include <chrono>

#include "storage/storage.hpp"

namespace headrace::storage {

/// The defaults are those of `headrace plan`.
struct StripeModel {
  std::chrono::microseconds time{0};  ///< of one stripe; not below 0
  std::int64_t size = 1 << 20;        ///< bytes of a stripe, over 0
  std::int64_t count = 8;             ///< over 0
};

/// What the model waits by; tests have one that does not wait.
class Clock {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;
  virtual Time now() = 0;
  virtual void sleep_until(Time time) = 0;
};
Clock& steady_clock() noexcept;

/// `storage` as if it had the model's stripes. In each service (Storage::begin_service) the first
/// read or write of a stripe takes the model's time at least; what follows in this stripe takes
/// what it really takes, and so does what fails. A sleep that ends late makes the next one shorter.
/// Everything else is as `storage` has it. `clock` must outlive the object.
std::unique_ptr<Storage> with_stripe_times(std::unique_ptr<Storage> storage,
                                           const StripeModel& model, Clock& clock = steady_clock());

}  // namespace headrace::storage
