#include "engine/collective_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/log.hpp"
#include "engine/agreement.hpp"
#include "engine/best_order.hpp"
#include "engine/exchange.hpp"
#include "engine/independent.hpp"
#include "engine/placement.hpp"
#include "engine/small_call.hpp"
#include "engine/team_cache.hpp"
#include "plan/aggregators.hpp"
#include "storage/model/model_storage.hpp"

namespace headrace::engine {

using report::Counter;
using report::Phase;

namespace {

/// With the stripes and the service time that the hints give it, if they do.
std::unique_ptr<storage::Storage> as_modelled(std::unique_ptr<storage::Storage> storage,
                                              const Options& options) {
  if (options.model_stripe_time == 0) return storage;
  storage::StripeModel model{std::chrono::microseconds(options.model_stripe_time)};
  if (options.striping_unit > 0) model.size = options.striping_unit;
  if (options.striping_factor > 0) model.count = options.striping_factor;
  return storage::with_stripe_times(std::move(storage), model);
}

}  // namespace

static_assert(report::counter_count <= agreement_words);
static_assert(report::TimerReduction::words <= agreement_words);

namespace {

constexpr std::int64_t more_than_ranks = std::int64_t{1} << 32;

/// What all ranks know of a call before it is served. A small one has been served by then.
struct AgreedCall {
  plan::CallShape shape;
  std::vector<std::int64_t> plan_words;  // for the plan cache
  std::int64_t worst = 0;                // of a small call
  std::int64_t readable_end = 0;         // so too
};

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

class CollectiveFile::Impl {
 public:
  Impl(Team& team, storage::Opener opener, std::string path, storage::Access access,
       FileFacts facts)
      : facts_(std::move(facts)),
        team_(team),
        agreement_(team, measures_.clock),
        placement_(team, agreement_),
        small_(*team.node, measures_),
        opener_(opener),
        path_(std::move(path)),
        access_(access) {}

  Outcome measure(const Call& call, Direction direction);
  report::Counters total_counters();
  std::optional<report::Timers> total_timers(Direction direction);
  Options options_in_effect() const;
  void maxima(std::span<std::int64_t> values);
  void pass();
  void wait_for_others();
  Status settle();
  void set_options(const Options& options);
  Status sync() { return storage_ ? storage_->sync() : Status(); }

  FileFacts facts_;                     // this rank's while not is_prepared_, then rank 0's
  std::optional<Options> new_options_;  // of rank 0, while the others do not have them
  bool is_prepared_ = false;
  report::Measures measures_;

 private:
  Outcome serve(const Call& call, bool is_write);
  void prepare(std::span<std::int64_t> maxima);
  bool takes_new_options(bool are_there);
  void learn(std::span<std::int64_t> maxima);
  void open_storage();
  bool is_global_aggregator() const { return domain_ >= 0; }
  Veto own_veto(const Call& call, bool is_write);
  Veto agree_on_shape(const Call& call, bool is_write, AgreedCall& agreed);
  bool shows_small(const Call& call, bool is_write);
  void serve_small(const plan::CallShape& shape, bool is_write, std::span<std::int64_t> maxima);
  Outcome end_small(const AgreedCall& agreed, const Call& call, bool is_write);
  bool suits_direct(const Call& call, bool is_write) const;
  bool may_go_direct(const Call& call, bool is_write) const;
  plan::Service service_for(const plan::CallShape& shape) const;
  bool every_rank_can_open();
  plan::Service choose(const plan::CallShape& shape);
  Served run(plan::Service service, const AgreedCall& agreed, const Call& call, bool is_write);
  Served run_direct(const Call& call, bool is_write);
  Served run_exchange(plan::Service service, const AgreedCall& agreed, const Call& call,
                      bool is_write);
  KeptPlan& plan_of(const AgreedCall& agreed, const Call& call);
  plan::Windows windows_of(const plan::CallShape& shape, const Call& call);
  std::optional<plan::Windows> placed_windows(const plan::CallShape& shape, const Call& call);
  void meet_to_publish(std::int64_t windows_touched);
  void search_best_order(std::int64_t windows_touched);
  Status conclude(const Served& served);
  std::int64_t announced(const Status& own) const;
  Status agree_on_status(const Status& own);
  Status agreed_status(const Status& own, std::int64_t worst) const;
  void count(plan::Service service, bool is_write, std::int64_t bytes);
  report::Counters& counters() { return measures_.counters; }
  const Options& options() const { return facts_.options; }

  Team& team_;
  Agreement agreement_;
  Placement placement_;
  SmallCall small_;
  storage::Opener opener_;
  std::string path_;
  storage::Access access_;

  storage::Traits traits_;            // the same on all ranks
  plan::DirectSizes direct_sizes_{};  // of those
  std::unique_ptr<storage::Storage> storage_;
  IndependentIo::Packing packing_;
  Status storage_status_;
  std::vector<int> global_;
  int domain_ = -1;  // this rank's place in global_; -1: it has none
  bool node_has_aggregator_ = false;
  plan::ServiceOrder order_;
  bool was_global_aggregator_ = false;  // in any call so far
  plan::LocalAggregators tam_;
  plan::LocalAggregators two_phase_;
  PlanCache* plans_ = nullptr;  // the team's
  bool told_no_search_ = false;
  Status own_;       // of the last call, while it is not agreed on
  Status not_told_;  // what was agreed on it after this rank had returned
  enum class Direct { unknown, possible, impossible } direct_ = Direct::unknown;

  friend class CollectiveFile;
};

void CollectiveFile::Impl::open_storage() {
  if (storage_ || !storage_status_.ok()) return;
  auto opened =
      measures_.clock.during(Phase::io, [&] { return opener_(path_, access_, facts_.inode); });
  if (opened.ok())
    storage_ = as_modelled(std::move(*opened), options());
  else
    storage_status_ = opened.status();
}

/// Rank 0 looks at the storage for all, and tells them what it knows. The maxima of all ranks are
/// taken on the way, which spares an agreement of their own.
void CollectiveFile::Impl::learn(std::span<std::int64_t> maxima) {
  constexpr std::size_t own = 3;
  std::vector<std::int64_t> words(own);
  std::string text;
  if (team_.rank == 0) {
    if (facts_.veto == Veto::none) open_storage();
    if (storage_) traits_ = storage_->traits();
    if (facts_.veto == Veto::none && !storage_) facts_.veto = Veto::no_storage;
    if (!traits_.coherent) facts_.veto = Veto::unsafe_file_system;
    words = {traits_.stripe_size, traits_.stripe_count, traits_.block_size};
    text = encoded(facts_);
  }
  words.insert(words.end(), maxima.begin(), maxima.end());
  agreement_.reduce_and_tell(words, text);
  facts_ = decoded_facts(text);
  traits_.stripe_size = words[0];
  traits_.stripe_count = words[1];
  traits_.block_size = words[2];
  direct_sizes_ = plan::direct_sizes(traits_.block_size, traits_.stripe_size);
  std::copy(words.begin() + own, words.end(), maxima.begin());
}

/// After it everybody knows who the aggregators are. `maxima`: as learn().
void CollectiveFile::Impl::prepare(std::span<std::int64_t> maxima) {
  learn(maxima);
  const plan::NodeMap& nodes = team_.nodes;
  const int p_l = options().local_aggregators > 0
                      ? static_cast<int>(
                            std::min<std::int64_t>(options().local_aggregators, nodes.rank_count()))
                      : plan::default_local_aggregators(nodes);
  tam_ = plan::LocalAggregators(nodes, p_l);
  two_phase_ = plan::LocalAggregators(nodes, nodes.rank_count());
  global_ = plan::global_aggregators(nodes, team_.hosts, options(), traits_.stripe_count);
  const auto own = std::find(global_.begin(), global_.end(), team_.rank);
  domain_ = own == global_.end() ? -1 : static_cast<int>(own - global_.begin());
  order_ = plan::service_order(nodes, global_, nodes.node_of(team_.rank));
  node_has_aggregator_ = std::ranges::any_of(
      global_, [&](int rank) { return nodes.node_of(rank) == nodes.node_of(team_.rank); });
  if (is_global_aggregator()) {
    was_global_aggregator_ = true;
    open_storage();
  }
  plans_ = &TeamCache::of(team_).plans(options(), traits_);
  is_prepared_ = true;
}

/// On all ranks, where rank 0 has new ones.
bool CollectiveFile::Impl::takes_new_options(bool are_there) {
  if (!are_there) return false;
  if (new_options_) facts_.options = *std::exchange(new_options_, {});
  prepare({});
  return true;
}

void CollectiveFile::Impl::set_options(const Options& options) {
  if (team_.rank != 0) return;
  new_options_.reset();
  if (!is_prepared_)
    facts_.options = options;
  else if (options != facts_.options)
    new_options_ = options;
}

Options CollectiveFile::Impl::options_in_effect() const {
  Options effective = options();
  if (is_prepared_) {
    effective.cb_nodes = std::ssize(global_);
    effective.local_aggregators = tam_.count();
  }
  return effective;
}

Veto CollectiveFile::Impl::own_veto(const Call& call, bool is_write) {
  if (call.veto != Veto::none) return call.veto;
  if ((is_write ? options().cb_write : options().cb_read) == Toggle::disable)
    return Veto::disabled_by_hint;
  if (!call.file.monotone()) return Veto::view_not_monotone;
  if (is_global_aggregator() && !storage_) return Veto::no_storage;
  return Veto::none;
}

Veto CollectiveFile::Impl::agree_on_shape(const Call& call, bool is_write, AgreedCall& agreed) {
  constexpr auto none = std::numeric_limits<std::int64_t>::min();
  const Veto veto = own_veto(call, is_write);
  const bool has_data = veto == Veto::none && !call.file.empty();
  const Extent span = has_data ? call.file.span() : Extent{};
  if (has_data && may_go_direct(call, is_write)) open_storage();
  std::vector<std::int64_t> maxima(shape_words + plans_->words());
  maxima[veto_word] = static_cast<std::int64_t>(veto);
  maxima[negated_begin] = has_data ? -span.begin : none;
  maxima[end_word] = has_data ? span.end : none;
  maxima[not_direct] = has_data && !suits_direct(call, is_write);
  maxima[cannot_open] = storage_ == nullptr;
  maxima[not_small] = veto != Veto::none || !shows_small(call, is_write);
  maxima[new_options] = new_options_.has_value();
  plans_->ask(call.file, std::span(maxima).subspan(shape_words));
  std::array<std::int64_t, 2> sums{has_data ? call.file.size() : 0, has_data ? 1 : 0};
  own_ = {};
  agreement_.reduce(maxima, sums, [&] {
    const plan::CallShape shape = shape_of(maxima, sums);
    if (service_for(shape) == plan::Service::small) serve_small(shape, is_write, maxima);
  });
  if (takes_new_options(maxima[new_options] != 0)) return agree_on_shape(call, is_write, agreed);
  agreed.shape = shape_of(maxima, sums);
  agreed.worst = maxima[worst_word];
  agreed.readable_end = maxima[readable_end_word];
  if (maxima[cannot_open] == 0) direct_ = Direct::possible;
  agreed.plan_words.assign(maxima.begin() + shape_words, maxima.end());
  return static_cast<Veto>(maxima[veto_word]);
}

/// Whether this rank's part is with the others, should the call be small.
bool CollectiveFile::Impl::shows_small(const Call& call, bool is_write) {
  plan::CallShape own;
  own.bytes = own.ranks_with_data = 1;
  own.every_rank_small = true;
  return service_for(own) == plan::Service::small && small_.show(call, is_write);
}

/// By the rank that completes the agreement. If it cannot open the file, the call is not small.
void CollectiveFile::Impl::serve_small(const plan::CallShape& shape, bool is_write,
                                       std::span<std::int64_t> maxima) {
  open_storage();
  if (!storage_) {
    maxima[not_small] = 1;
    return;
  }
  const Result<std::int64_t> end = small_.serve(shape.range, is_write, *storage_, options());
  own_ = end.status();
  maxima[worst_word] = announced(own_);
  maxima[readable_end_word] = end.ok() ? *end : 0;
}

Outcome CollectiveFile::Impl::end_small(const AgreedCall& agreed, const Call& call, bool is_write) {
  Outcome outcome;
  outcome.status = agreed_status(own_, agreed.worst);
  if (outcome.status.ok()) outcome.bytes = small_.end(call, is_write, agreed.readable_end);
  return outcome;
}

/// But where the program insists on collective buffering.
bool CollectiveFile::Impl::suits_direct(const Call& call, bool is_write) const {
  return (is_write ? options().cb_write : options().cb_read) != Toggle::enable &&
         plan::suits_direct(call.file, direct_sizes_);
}

/// If all ranks ask for the like: then this one opens the file before it is asked whether it can.
bool CollectiveFile::Impl::may_go_direct(const Call& call, bool is_write) const {
  const plan::CallShape own{call.file.span(), call.file.size(), 1, suits_direct(call, is_write)};
  return !options().no_indep_rw && service_for(own) == plan::Service::direct;
}

plan::Service CollectiveFile::Impl::service_for(const plan::CallShape& shape) const {
  return plan::choose_service(shape, options(), direct_sizes_, team_.nodes.rank_count(),
                              team_.nodes.node_count());
}

bool CollectiveFile::Impl::every_rank_can_open() {
  if (direct_ == Direct::unknown) {
    open_storage();
    std::array<std::int64_t, 1> failed{storage_ ? 0 : 1};
    agreement_.reduce(failed, {});
    direct_ = failed[0] == 0 ? Direct::possible : Direct::impossible;
  }
  return direct_ == Direct::possible;
}

plan::Service CollectiveFile::Impl::choose(const plan::CallShape& shape) {
  const plan::Service service = service_for(shape);
  if (service != plan::Service::direct) return service;
  if (!options().no_indep_rw && every_rank_can_open()) return service;
  plan::CallShape exchanged = shape;
  exchanged.every_rank_direct = exchanged.every_rank_small = false;
  return service_for(exchanged);
}

Outcome CollectiveFile::Impl::measure(const Call& call, Direction direction) {
  measures_.clock.begin_call();
  Outcome outcome;
  outcome.status = settle();
  if (!outcome.status.ok()) return outcome;
  outcome = serve(call, direction == Direction::write);
  if (outcome.host == Veto::none) measures_.clock.keep_call(direction);
  return outcome;
}

Outcome CollectiveFile::Impl::serve(const Call& call, bool is_write) {
  Outcome outcome;
  if (!is_prepared_) prepare({});
  outcome.host = facts_.veto;
  AgreedCall agreed;
  if (outcome.host == Veto::none) outcome.host = agree_on_shape(call, is_write, agreed);
  if (outcome.host != Veto::none) {
    ++counters()[Counter::host_calls];
    return outcome;
  }
  const plan::Service service = choose(agreed.shape);
  if (service == plan::Service::small) {
    outcome = end_small(agreed, call, is_write);
  } else if (service != plan::Service::nothing) {
    const Served served = run(service, agreed, call, is_write);
    outcome.bytes = served.bytes;
    outcome.status = conclude(served);
  }
  count(service, is_write, outcome.bytes);
  return outcome;
}

/// What the call is to return, for all ranks or, where they return early, for this one.
Status CollectiveFile::Impl::conclude(const Served& served) {
  if (!options().early_return) return agree_on_status(served.status);
  agreement_.begin(announced(served.status));
  own_ = served.status;
  return served.own_data;
}

Served CollectiveFile::Impl::run(plan::Service service, const AgreedCall& agreed, const Call& call,
                                 bool is_write) {
  switch (service) {
    case plan::Service::direct:
      return run_direct(call, is_write);
    case plan::Service::two_phase:
    case plan::Service::tam:
      return run_exchange(service, agreed, call, is_write);
    case plan::Service::nothing:
    case plan::Service::small:
      break;
  }
  return {};
}

Served CollectiveFile::Impl::run_direct(const Call& call, bool is_write) {
  if (call.file.empty()) return {};
  std::int64_t requests = 0;
  plan::RunCursor(call.file).for_each_piece([&](std::int64_t, std::int64_t) { ++requests; });
  counters()[Counter::requests_before] += requests;
  counters()[Counter::requests_after] += requests;
  if (is_write) counters()[Counter::requests_in_domains] += requests;
  IndependentIo io(*storage_, measures_, options(), packing_);
  const Result<std::int64_t> moved = is_write ? io.write(call) : io.read(call);
  return {moved.status(), moved.status(), moved.ok() ? *moved : 0};
}

plan::Windows CollectiveFile::Impl::windows_of(const plan::CallShape& shape, const Call& call) {
  if (auto placed = placed_windows(shape, call)) return std::move(*placed);
  return {shape.range, static_cast<int>(global_.size()),
          plan::window_bytes(options(), team_.nodes.node_count()), traits_.stripe_size,
          options().striping_unit};
}

/// With file domains where the data is; none where even ones do as well.
std::optional<plan::Windows> CollectiveFile::Impl::placed_windows(const plan::CallShape& shape,
                                                                  const Call& call) {
  const bool may_be_anywhere =
      options().file_domains != FileDomains::even && traits_.stripe_size == 0;
  if (!may_be_anywhere || plan::nodes_of(team_.nodes, global_) < 2) return std::nullopt;
  const auto cells =
      plan::cells_of(shape.range, options(), traits_.block_size, static_cast<int>(global_.size()));
  if (!cells) return std::nullopt;
  const std::vector<std::int64_t> highest =
      placement_.highest_bids(*cells, call.file, node_has_aggregator_);
  return plan::placed_windows(shape, *cells, highest, team_.nodes, global_, options());
}

/// The plan of a call before, if all ranks have kept it and its windows can be moved; or a new one.
KeptPlan& CollectiveFile::Impl::plan_of(const AgreedCall& agreed, const Call& call) {
  const auto [plan, shift] = plans_->choose(call.file, agreed.plan_words);
  const auto moved = shift ? plan.windows.moved(*shift) : std::nullopt;
  if (shift && !moved) plans_->begin_anew(plan, call.file);
  plan.windows = moved ? *moved : windows_of(agreed.shape, call);
  return plan;
}

Served CollectiveFile::Impl::run_exchange(plan::Service service, const AgreedCall& agreed,
                                          const Call& call, bool is_write) {
  KeptPlan& plan = plan_of(agreed, call);
  const Roles roles{service == plan::Service::tam ? tam_ : two_phase_, global_, domain_, order_};
  if (team_.node->rank() == 0) {
    Board& leader = board_of(*team_.node, 0);
    leader.announced.store(0, std::memory_order_relaxed);
    leader.all_announced.store(false, std::memory_order_relaxed);
    leader.ordered.store(0, std::memory_order_relaxed);
  }
  Exchange exchange(team_, roles, plan, call, is_write, options(), storage_.get(), measures_);
  if (!plan.is_usable()) {
    meet_to_publish(exchange.windows_touched());
    placement_.clean_up();
  }
  if (exchange.talks_to_nodes()) agreement_.has_sent();
  return exchange.run();
}

/// What the ranks of the node have published can be read afterwards.
void CollectiveFile::Impl::meet_to_publish(std::int64_t windows_touched) {
  if (options().schedule == Schedule::best)
    search_best_order(windows_touched);
  else
    agreement_.meet_node();
}

/// Not where there is too much to search in: then the order is that of gw_mdf. Also meets the node.
void CollectiveFile::Impl::search_best_order(std::int64_t windows_touched) {
  std::array<std::int64_t, 1> accesses{windows_touched};
  agreement_.reduce({}, accesses);
  if (accesses[0] > most_accesses_searched) {
    if (team_.rank == 0 && !std::exchange(told_no_search_, true))
      log_warning(
          "file {}: headrace_schedule=best: {} accesses to windows in one call are more "
          "than the {} that are searched; gw_mdf is used",
          path_, accesses[0], most_accesses_searched);
    return;
  }
  if (team_.node->rank() == 0)
    BestOrder(team_, static_cast<int>(global_.size()), measures_.clock).find();
  agreement_.meet_node();
}

/// What a rank brings to the agreement on the status: the greatest is of the greatest class, and of
/// those of its first rank, who tells of it.
std::int64_t CollectiveFile::Impl::announced(const Status& own) const {
  if (own.ok()) return 0;
  return static_cast<std::int64_t>(own.error_class()) * more_than_ranks + more_than_ranks - 1 -
         team_.rank;
}

/// The greatest class of all ranks becomes everybody's. Also the barrier after which every byte of
/// a write is in the file.
Status CollectiveFile::Impl::agree_on_status(const Status& own) {
  std::array<std::int64_t, 1> worst{announced(own)};
  agreement_.reduce(worst, {});
  return agreed_status(own, worst[0]);
}

Status CollectiveFile::Impl::agreed_status(const Status& own, std::int64_t worst) const {
  const auto agreed = static_cast<ErrorClass>(worst / more_than_ranks);
  const std::int64_t failed = more_than_ranks - 1 - worst % more_than_ranks;
  if (agreed != ErrorClass::ok && failed == team_.rank)
    log_error("rank {}: {}", team_.rank, own.message());
  if (agreed == own.error_class()) return own;
  return {agreed, fmt::format("{}: collective I/O failed on rank {}", path_, failed)};
}

void CollectiveFile::Impl::maxima(std::span<std::int64_t> values) {
  wait_for_others();
  if (is_prepared_)
    agreement_.reduce(values, {});
  else
    prepare(values);
}

void CollectiveFile::Impl::pass() {
  wait_for_others();
  agreement_.pass();
}

void CollectiveFile::Impl::wait_for_others() {
  if (agreement_.has_begun()) not_told_ = agreed_status(own_, agreement_.finish());
}

Status CollectiveFile::Impl::settle() {
  wait_for_others();
  return std::exchange(not_told_, {});
}

void CollectiveFile::Impl::count(plan::Service service, bool is_write, std::int64_t bytes) {
  ++counters()[is_write ? Counter::write_calls : Counter::read_calls];
  counters()[is_write ? Counter::bytes_written : Counter::bytes_read] += bytes;
  counters()[Counter::direct_calls] += service == plan::Service::direct;
  counters()[Counter::small_calls] += service == plan::Service::small;
  counters()[Counter::tam_calls] += service == plan::Service::tam;
  counters()[Counter::two_phase_calls] += service == plan::Service::two_phase;
}

report::Counters CollectiveFile::Impl::total_counters() {
  wait_for_others();
  report::Counters total = counters();
  agreement_.reduce({}, total.values());
  return total;
}

std::optional<report::Timers> CollectiveFile::Impl::total_timers(Direction direction) {
  const Counter calls = direction == Direction::write ? Counter::write_calls : Counter::read_calls;
  if (counters()[calls] == 0) return std::nullopt;
  wait_for_others();
  report::TimerReduction reduction(measures_.clock.times(direction), was_global_aggregator_);
  agreement_.reduce(reduction.maxima(), reduction.sums());
  return reduction.timers();
}

CollectiveFile::CollectiveFile(Team& team, storage::Opener opener, std::string path,
                               storage::Access access, FileFacts facts)
    : impl_(std::make_unique<Impl>(team, opener, std::move(path), access, std::move(facts))) {}
CollectiveFile::~CollectiveFile() {
  impl_->wait_for_others();
}

Outcome CollectiveFile::write_all(const Call& call) noexcept {
  return impl_->measure(call, Direction::write);
}
Outcome CollectiveFile::read_all(const Call& call) noexcept {
  return impl_->measure(call, Direction::read);
}
void CollectiveFile::minima(std::span<std::int64_t> values) noexcept {
  for (std::int64_t& value : values) value = -value;
  impl_->maxima(values);
  for (std::int64_t& value : values) value = -value;
}
void CollectiveFile::meet() noexcept {
  impl_->maxima({});
}
void CollectiveFile::pass() noexcept {
  impl_->pass();
}
void CollectiveFile::wait_for_passing() noexcept {
  impl_->agreement_.wait_for_passing();
}
void CollectiveFile::wait_for_others() noexcept {
  impl_->wait_for_others();
}
Status CollectiveFile::settle() noexcept {
  return impl_->settle();
}
Status CollectiveFile::sync() noexcept {
  return impl_->sync();
}
const FileFacts& CollectiveFile::facts() const noexcept {
  return impl_->facts_;
}
Options CollectiveFile::options() const {
  return impl_->options_in_effect();
}
void CollectiveFile::set_options(const Options& options) {
  impl_->set_options(options);
}
const report::Counters& CollectiveFile::counters() const noexcept {
  return impl_->measures_.counters;
}
report::Counters CollectiveFile::total_counters() noexcept {
  return impl_->total_counters();
}
const report::PhaseTimes& CollectiveFile::times(Direction direction) const noexcept {
  return impl_->measures_.clock.times(direction);
}
report::TimersByDirection CollectiveFile::total_timers() noexcept {
  return {impl_->total_timers(Direction::write), impl_->total_timers(Direction::read)};
}

}  // namespace headrace::engine
