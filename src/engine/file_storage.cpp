#include "engine/file_storage.hpp"

#include "storage/model/model_storage.hpp"

namespace headrace::engine {

namespace {

std::unique_ptr<storage::Storage> as_modelled(std::unique_ptr<storage::Storage> storage,
                                              const Options& options) {
  if (options.model_stripe_time == 0) return storage;
  storage::StripeModel model{std::chrono::microseconds(options.model_stripe_time)};
  if (options.striping_unit > 0) model.size = options.striping_unit;
  if (options.striping_factor > 0) model.count = options.striping_factor;
  return storage::with_stripe_times(std::move(storage), model);
}

}  // namespace

void FileStorage::open(const FileFacts& facts) {
  if (storage_ || has_failed_) return;
  auto opened =
      clock_.during(report::Phase::io, [&] { return opener_(path_, access_, facts.inode); });
  has_failed_ = !opened.ok();
  if (opened.ok()) storage_ = as_modelled(std::move(*opened), facts.options);
}

}  // namespace headrace::engine
