#include "engine/exchange.hpp"

#include <optional>

#include "engine/global_aggregator.hpp"
#include "engine/local_aggregator.hpp"
#include "engine/member.hpp"

namespace headrace::engine {

using report::Phase;

namespace {

/// Once every local aggregator of every node has had its announcements matched, no global
/// aggregator waits for more (Hoefer's nonblocking consensus, with the node as participant).
Task lead_announcements(transport::NodeMemory& node, transport::Messenger& messenger,
                        std::int32_t local_aggregators) {
  Board& board = board_of(node, 0);
  co_await Until{
      [&] { return board.announced.load(std::memory_order_acquire) == local_aggregators; }};
  const transport::Operation barrier = messenger.barrier();
  co_await Until{[&] { return messenger.finished(barrier); }};
  board.all_announced.store(true, std::memory_order_release);
  for (int rank = 0; rank < node.size(); ++rank) node.ring(rank);
}

}  // namespace

Exchange::Exchange(Team& team, const Roles& roles, KeptPlan& plan, const Call& call, bool is_write,
                   const Options& options, storage::Storage* storage, report::Measures& measures)
    : team_(team),
      node_(*team.node),
      roles_(roles),
      plan_(plan),
      is_known_(plan.is_usable()),
      windows_(plan.windows),
      call_(call),
      is_write_(is_write),
      options_(options),
      storage_(storage),
      counters_(measures.counters),
      clock_(measures.clock),
      scheduler_(*team.node, talks_to_nodes() ? team.messenger.get() : nullptr, clock_),
      order_(*this) {
  if (!is_known_) clock_.during(Phase::gather, [this] { publish_touched(); });
}

void Exchange::publish_touched() {
  auto& touched = plan_.member.touched;
  touched = windows_.touched(call_.file);
  const std::vector<std::int64_t> weights = order_.own_weights();
  const plan::RunEncoder windows = encoded_windows(touched);
  status_ = node_.reserve(region::touched,
                          weights.size() * sizeof(std::int64_t) + windows.bytes().size());
  own_data_ = status_;
  if (!status_.ok()) touched.clear();
  board().standings = std::ssize(weights);
  board().touched_bytes = status_.ok() ? std::ssize(windows.bytes()) : 0;
  if (!touched.empty()) {
    const Touched published = touched_of(node_, node_.rank());
    std::ranges::copy(weights, published.standings.begin());
    std::ranges::copy(windows.bytes(), published.list.begin());
  }
  if (!order_.is_scheduled()) std::sort(touched.begin(), touched.end(), roles_.order);
}

bool Exchange::talks_to_nodes() const {
  if (!team_.messenger) return false;
  const int self = node_.rank();
  if (self == 0) return true;
  if (is_known_) return !plan_.group.data_bytes.empty() || !plan_.domain.remote_lists.empty();
  return roles_.domain >= 0 || local_aggregator_of_local(self) == self;
}

std::byte* Exchange::map(int local_rank, int region, std::int64_t bytes) {
  if (bytes == 0) return nullptr;
  std::byte* mapped = node_.region(local_rank, region, static_cast<std::size_t>(bytes));
  if (mapped == nullptr)
    status_.update({ErrorClass::no_memory, "cannot map the shared memory of another rank"});
  return mapped;
}

std::byte* Exchange::place_of(int local_aggregator, const StagingSlot& slot) {
  if (slot.bytes == 0) return nullptr;
  std::byte* area = map(local_aggregator, region::staging + slot.area, slot.begin + slot.bytes);
  return area != nullptr ? area + slot.begin : nullptr;
}

int Exchange::local_aggregator_of_local(int local_rank) const {
  const auto ranks = team_.nodes.ranks_of(team_.nodes.node_of(team_.rank));
  return local_rank_of(roles_.local.of(ranks[local_rank]));
}

/// How many ranks of this node are one.
std::int32_t Exchange::local_aggregators_here() const {
  std::int32_t aggregators = 0;
  for (int rank = 0; rank < node_.size(); ++rank)
    aggregators += local_aggregator_of_local(rank) == rank;
  return aggregators;
}

Served Exchange::run() {
  const int self = node_.rank();
  if (order_.is_scheduled()) scheduler_.spawn(order_.learn());
  std::optional<GlobalAggregator> global;
  if (roles_.domain >= 0) {  // first, as the node's members wait for its buffers
    global.emplace(*this);
    scheduler_.spawn(global->run());
  }
  Member member(*this);
  if (!is_known_) scheduler_.spawn(member.describe());
  scheduler_.spawn(member.move());

  std::optional<LocalAggregator> local;
  if (local_aggregator_of_local(self) == self) {
    local.emplace(*this);
    if (team_.messenger && !is_known_) scheduler_.spawn(local->announce());
    scheduler_.spawn(local->run());
  }
  if (team_.messenger && self == 0 && !is_known_)
    scheduler_.spawn(lead_announcements(node_, *team_.messenger, local_aggregators_here()));
  scheduler_.run();
  if (team_.messenger) status_.update(team_.messenger->failure());
  if (network_failed()) own_data_.update(team_.messenger->failure());
  count_requests();
  plan_.finish(status_.ok());
  return {status_, own_data_, bytes_};
}

void Exchange::count_requests() {
  using report::Counter;
  counters_[Counter::requests_before] += plan_.member.requests;
  counters_[Counter::requests_after] += plan_.group.requests;
  counters_[Counter::plans_reused] += is_known_;
  if (is_write_) counters_[Counter::requests_in_domains] += plan_.domain.requests;
}

}  // namespace headrace::engine
