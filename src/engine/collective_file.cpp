#include "engine/collective_file.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "engine/agreement.hpp"
#include "engine/best_order.hpp"
#include "engine/call_agreement.hpp"
#include "engine/call_status.hpp"
#include "engine/exchange.hpp"
#include "engine/file_storage.hpp"
#include "engine/independent.hpp"
#include "engine/placement.hpp"
#include "engine/team_cache.hpp"
#include "plan/aggregators.hpp"

namespace headrace::engine {

using report::Counter;

static_assert(report::counter_count <= agreement_words);
static_assert(report::TimerReduction::words <= agreement_words);

class CollectiveFile::Impl {
 public:
  Impl(Team& team, storage::Opener opener, std::string path, storage::Access access,
       FileFacts facts)
      : facts_(std::move(facts)),
        team_(team),
        storage_(opener, std::move(path), access, measures_.clock),
        agreement_(team, measures_.clock),
        status_(team, agreement_, storage_.path()),
        call_agreement_(team, agreement_, status_, storage_, facts_, measures_),
        placement_(team, agreement_) {}

  Outcome measure(const Call& call, Direction direction);
  report::Counters total_counters();
  std::optional<report::Timers> total_timers(Direction direction);
  Options options_in_effect() const;
  void maxima(std::span<std::int64_t> values);
  void pass();
  void wait_for_others() { status_.wait_for_others(); }
  Status settle() { return status_.settle(); }
  void set_options(const Options& options);
  Status sync() { return storage_.is_open() ? storage_.get()->sync() : Status(); }

  FileFacts facts_;                     // this rank's while not is_prepared_, then rank 0's
  std::optional<Options> new_options_;  // of rank 0, while the others do not have them
  bool is_prepared_ = false;
  report::Measures measures_;

 private:
  Outcome serve(const Call& call, bool is_write);
  void prepare(std::span<std::int64_t> maxima);
  void take_new_options();
  void learn(std::span<std::int64_t> maxima);
  bool is_global_aggregator() const { return domain_ >= 0; }
  Veto own_veto(const Call& call, bool is_write) const;
  AgreedCall agree(const Call& call, bool is_write);
  Served run(const AgreedCall& agreed, const Call& call, bool is_write);
  Served run_direct(const Call& call, bool is_write);
  Served run_exchange(const AgreedCall& agreed, const Call& call, bool is_write);
  KeptPlan& plan_of(const AgreedCall& agreed, const Call& call);
  plan::Windows windows_of(const plan::CallShape& shape, const Call& call);
  std::optional<plan::Windows> placed_windows(const plan::CallShape& shape, const Call& call);
  void meet_to_publish(std::int64_t windows_touched);
  void search_best_order(std::int64_t windows_touched);
  Status conclude(const Served& served);
  void count(plan::Service service, bool is_write, std::int64_t bytes);
  report::Counters& counters() { return measures_.counters; }
  const Options& options() const { return facts_.options; }

  Team& team_;
  FileStorage storage_;
  Agreement agreement_;
  CallStatus status_;
  CallAgreement call_agreement_;
  Placement placement_;

  storage::Traits traits_;  // the same on all ranks
  IndependentIo::Packing packing_;
  std::vector<int> global_;
  int domain_ = -1;  // this rank's place in global_; -1: it has none
  bool node_has_aggregator_ = false;
  plan::ServiceOrder order_;
  bool was_global_aggregator_ = false;  // in any call so far
  plan::LocalAggregators tam_;
  plan::LocalAggregators two_phase_;
  PlanCache* plans_ = nullptr;  // the team's
  bool told_no_search_ = false;

  friend class CollectiveFile;
};

/// Rank 0 looks at the storage for all, and tells them what it knows. The maxima of all ranks are
/// taken on the way, which spares an agreement of their own.
void CollectiveFile::Impl::learn(std::span<std::int64_t> maxima) {
  constexpr std::size_t own = 3;
  std::vector<std::int64_t> words(own);
  std::string text;
  if (team_.rank == 0) {
    if (facts_.veto == Veto::none) storage_.open(facts_);
    if (storage_.is_open()) traits_ = storage_.get()->traits();
    if (facts_.veto == Veto::none && !storage_.is_open()) facts_.veto = Veto::no_storage;
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
    storage_.open(facts_);
  }
  plans_ = &TeamCache::of(team_).plans(options(), traits_);
  call_agreement_.prepare(plan::direct_sizes(traits_.block_size, traits_.stripe_size), *plans_);
  is_prepared_ = true;
}

/// On all ranks, where rank 0 has new ones.
void CollectiveFile::Impl::take_new_options() {
  if (new_options_) facts_.options = *std::exchange(new_options_, {});
  prepare({});
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

Veto CollectiveFile::Impl::own_veto(const Call& call, bool is_write) const {
  if (call.veto != Veto::none) return call.veto;
  if (options().collective_buffering(is_write) == Toggle::disable) return Veto::disabled_by_hint;
  if (!call.file.monotone()) return Veto::view_not_monotone;
  if (is_global_aggregator() && !storage_.is_open()) return Veto::no_storage;
  return Veto::none;
}

AgreedCall CollectiveFile::Impl::agree(const Call& call, bool is_write) {
  const auto ask = [&] {
    return call_agreement_.agree(
        {call, is_write, own_veto(call, is_write), new_options_.has_value()});
  };
  AgreedCall agreed = ask();
  if (!agreed.has_new_options) return agreed;
  take_new_options();
  return ask();
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
  AgreedCall agreed;
  agreed.veto = facts_.veto;
  if (agreed.veto == Veto::none) agreed = agree(call, is_write);
  outcome.host = agreed.veto;
  if (outcome.host != Veto::none) {
    ++counters()[Counter::host_calls];
    return outcome;
  }
  if (agreed.service == plan::Service::small) {
    outcome = call_agreement_.end_small(agreed, call, is_write);
  } else if (agreed.service != plan::Service::nothing) {
    const Served served = run(agreed, call, is_write);
    outcome.bytes = served.bytes;
    outcome.status = conclude(served);
  }
  count(agreed.service, is_write, outcome.bytes);
  return outcome;
}

/// What the call is to return, for all ranks or, where they return early, for this one.
Status CollectiveFile::Impl::conclude(const Served& served) {
  if (!options().early_return) return status_.agree(served.status);
  status_.begin(served.status);
  return served.own_data;
}

Served CollectiveFile::Impl::run(const AgreedCall& agreed, const Call& call, bool is_write) {
  switch (agreed.service) {
    case plan::Service::direct:
      return run_direct(call, is_write);
    case plan::Service::two_phase:
    case plan::Service::tam:
      return run_exchange(agreed, call, is_write);
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
  IndependentIo io(*storage_.get(), measures_, options(), packing_);
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

Served CollectiveFile::Impl::run_exchange(const AgreedCall& agreed, const Call& call,
                                          bool is_write) {
  KeptPlan& plan = plan_of(agreed, call);
  const Roles roles{agreed.service == plan::Service::tam ? tam_ : two_phase_, global_, domain_,
                    order_};
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
          storage_.path(), accesses[0], most_accesses_searched);
    return;
  }
  if (team_.node->rank() == 0)
    BestOrder(team_, static_cast<int>(global_.size()), measures_.clock).find();
  agreement_.meet_node();
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
