#include "engine/call_agreement.hpp"

#include <array>
#include <limits>

namespace headrace::engine {

namespace {

/// The words that ranks agree on by their maxima; behind them come those of the plan cache.
enum ShapeWord : std::size_t {
  veto_word,
  negated_begin,
  end_word,
  not_direct,
  cannot_open,
  not_small,
  new_options,
  worst_word,  // these two are the work of one rank alone
  readable_end_word,
  shape_words
};

plan::CallShape shape_of(std::span<const std::int64_t> maxima,
                         std::span<const std::int64_t, 2> sums) {
  plan::CallShape shape;
  if (sums[1] > 0) shape.range = {-maxima[negated_begin], maxima[end_word]};
  shape.every_rank_direct = maxima[not_direct] == 0;
  shape.every_rank_small = maxima[not_small] == 0 && maxima[new_options] == 0;
  shape.bytes = sums[0];
  shape.ranks_with_data = sums[1];
  return shape;
}

}  // namespace

void CallAgreement::prepare(const plan::DirectSizes& direct_sizes, PlanCache& plans) {
  direct_sizes_ = direct_sizes;
  plans_ = &plans;
}

AgreedCall CallAgreement::agree(const OwnCall& own) {
  constexpr auto none = std::numeric_limits<std::int64_t>::min();
  const plan::Pattern& file = own.call.file;
  const bool has_data = own.veto == Veto::none && !file.empty();
  const Extent span = has_data ? file.span() : Extent{};
  if (has_data && may_go_direct(own)) storage_.open(facts_);
  std::vector<std::int64_t> maxima(shape_words + plans_->words());
  maxima[veto_word] = static_cast<std::int64_t>(own.veto);
  maxima[negated_begin] = has_data ? -span.begin : none;
  maxima[end_word] = has_data ? span.end : none;
  maxima[not_direct] = has_data && !suits_direct(own);
  maxima[cannot_open] = !storage_.is_open();
  maxima[not_small] = own.veto != Veto::none || !shows_small(own);
  maxima[new_options] = own.has_new_options;
  plans_->ask(file, std::span(maxima).subspan(shape_words));
  std::array<std::int64_t, 2> sums{has_data ? file.size() : 0, has_data ? 1 : 0};
  small_status_ = {};
  agreement_.reduce(maxima, sums, [&] {
    const plan::CallShape shape = shape_of(maxima, sums);
    if (service_for(shape) == plan::Service::small) serve_small(shape, own.is_write, maxima);
  });

  AgreedCall agreed;
  agreed.has_new_options = maxima[new_options] != 0;
  if (agreed.has_new_options) return agreed;
  agreed.veto = static_cast<Veto>(maxima[veto_word]);
  agreed.shape = shape_of(maxima, sums);
  agreed.worst = maxima[worst_word];
  agreed.readable_end = maxima[readable_end_word];
  agreed.plan_words.assign(maxima.begin() + shape_words, maxima.end());
  if (maxima[cannot_open] == 0) direct_ = Direct::possible;
  if (agreed.veto == Veto::none) agreed.service = choose(agreed.shape);
  return agreed;
}

plan::Service CallAgreement::service_for(const plan::CallShape& shape) const {
  return plan::choose_service(shape, options(), direct_sizes_, team_.nodes.rank_count(),
                              team_.nodes.node_count());
}

/// But where the program insists on collective buffering.
bool CallAgreement::suits_direct(const OwnCall& own) const {
  return options().collective_buffering(own.is_write) != Toggle::enable &&
         plan::suits_direct(own.call.file, direct_sizes_);
}

/// If all ranks ask for the like: then this one opens the file before it is asked whether it can.
bool CallAgreement::may_go_direct(const OwnCall& own) const {
  const plan::Pattern& file = own.call.file;
  const plan::CallShape shape{file.span(), file.size(), 1, suits_direct(own)};
  return !options().no_indep_rw && service_for(shape) == plan::Service::direct;
}

bool CallAgreement::every_rank_can_open() {
  if (direct_ == Direct::unknown) {
    storage_.open(facts_);
    std::array<std::int64_t, 1> failed{storage_.is_open() ? 0 : 1};
    agreement_.reduce(failed, {});
    direct_ = failed[0] == 0 ? Direct::possible : Direct::impossible;
  }
  return direct_ == Direct::possible;
}

plan::Service CallAgreement::choose(const plan::CallShape& shape) {
  const plan::Service service = service_for(shape);
  if (service != plan::Service::direct) return service;
  if (!options().no_indep_rw && every_rank_can_open()) return service;
  plan::CallShape exchanged = shape;
  exchanged.every_rank_direct = exchanged.every_rank_small = false;
  return service_for(exchanged);
}

/// Whether this rank's part is with the others, should the call be small.
bool CallAgreement::shows_small(const OwnCall& own) {
  plan::CallShape shape;
  shape.bytes = shape.ranks_with_data = 1;
  shape.every_rank_small = true;
  return service_for(shape) == plan::Service::small && small_.show(own.call, own.is_write);
}

/// By the rank that completes the agreement. If it cannot open the file, the call is not small.
void CallAgreement::serve_small(const plan::CallShape& shape, bool is_write,
                                std::span<std::int64_t> maxima) {
  storage_.open(facts_);
  if (!storage_.is_open()) {
    maxima[not_small] = 1;
    return;
  }
  const Result<std::int64_t> end = small_.serve(shape.range, is_write, *storage_.get(), options());
  small_status_ = end.status();
  maxima[worst_word] = status_.announced(small_status_);
  maxima[readable_end_word] = end.ok() ? *end : 0;
}

Outcome CallAgreement::end_small(const AgreedCall& agreed, const Call& call, bool is_write) {
  Outcome outcome;
  outcome.status = status_.agreed(small_status_, agreed.worst);
  if (outcome.status.ok()) outcome.bytes = small_.end(call, is_write, agreed.readable_end);
  return outcome;
}

}  // namespace headrace::engine
