#include "engine/order.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <optional>

#include "base/log.hpp"
#include "engine/exchange.hpp"
#include "plan/schedule.hpp"

namespace headrace::engine {

using report::Phase;

Touched touched_of(transport::NodeMemory& node, int local_rank) {
  const Board& board = board_of(node, local_rank);
  if (board.touched_bytes == 0) return {};
  const auto standings = static_cast<std::size_t>(board.standings);
  const auto bytes = static_cast<std::size_t>(board.touched_bytes);
  const std::size_t head = standings * sizeof(std::int64_t);
  std::byte* region = node.region(local_rank, region::touched, head + bytes);
  if (region == nullptr) {
    // Nobody could go on without it, nor be told; so the end is that of a task without memory.
    log_error("rank {} of its node cannot map the shared memory of rank {} of it: out of memory",
              node.rank(), local_rank);
    throw std::bad_alloc();
  }
  return {{reinterpret_cast<std::int64_t*>(region), standings}, {region + head, bytes}};
}

Order::Order(Exchange& exchange) : exchange_(exchange), is_known_(!is_scheduled()) {}

bool Order::is_scheduled() const {
  return exchange_.options_.schedule != Schedule::offset && !exchange_.is_known_;
}

std::vector<std::int64_t> Order::own_weights() const {
  if (!is_scheduled()) return {};
  const Schedule asked = exchange_.options_.schedule;
  const Schedule by_scores = asked == Schedule::best ? Schedule::gw_mdf : asked;
  plan::LocalCounts counts(static_cast<int>(exchange_.roles_.global.size()));
  return plan::weights(by_scores, exchange_.plan_.member.touched, counts);
}

std::int64_t& Order::standing(const Contribution& contribution) const {
  return touched_of(exchange_.node_, contribution.local_rank).standings[contribution.index];
}

/// The global aggregators of this node tell the places of their windows, the local ones those of
/// other nodes' windows.
std::int32_t Order::tellers() const {
  std::int32_t tellers = 0;
  for (const int rank : exchange_.roles_.global) tellers += exchange_.on_this_node(rank);
  if (exchange_.team_.messenger) tellers += exchange_.local_aggregators_here();
  return tellers;
}

void Order::places_told() {
  exchange_.board(0).ordered.fetch_add(1, std::memory_order_acq_rel);
  for (int rank = 0; rank < exchange_.node_.size(); ++rank) exchange_.node_.ring(rank);
}

Task Order::learn() {
  Exchange& ex = exchange_;
  const std::int32_t all = tellers();
  co_await Until{[&] { return ex.board(0).ordered.load(std::memory_order_acquire) == all; }};
  ex.clock_.during(Phase::my_requests, [this] {
    std::vector<plan::WindowNumber>& touched = exchange_.plan_.member.touched;
    std::vector<Contribution> own;
    for (std::size_t i = 0; i < touched.size(); ++i)
      own.push_back({touched[i], exchange_.node_.rank(), static_cast<int>(i)});
    sort(own);
    std::ranges::transform(own, touched.begin(), &Contribution::number);
  });
  is_known_ = true;
}

void Order::sort(std::vector<Contribution>& contributions) const {
  std::vector<std::pair<std::int64_t, Contribution>> keyed;
  keyed.reserve(contributions.size());
  for (const Contribution& each : contributions)
    keyed.emplace_back(exchange_.roles_.order.key(each.number, standing(each)), each);
  std::ranges::stable_sort(keyed, {}, [](const auto& pair) { return pair.first; });
  std::ranges::transform(keyed, contributions.begin(),
                         [](const auto& pair) { return pair.second; });
}

Task GroupOrder::take(std::size_t answers) {
  Exchange& ex = exchange_;
  Inbox inbox(ex.team_, ex.clock_);
  for (std::size_t taken = 0; taken < answers; ++taken) {
    std::optional<Message> answer;
    co_await Until{[&] {
      answer = inbox.take_any(order_tag);
      return answer.has_value() || ex.network_failed();
    }};
    if (!answer) break;
    ex.clock_.during(Phase::my_requests, [&] { take_places(*answer); });
  }
  ex.order_.places_told();
}

void GroupOrder::take_places(const Message& answer) {
  const auto before = [this](const Contribution& each, plan::WindowNumber number) {
    return exchange_.roles_.order(each.number, number);
  };
  const std::byte* place = answer.data();
  for_each_window(answer.list(), [&](plan::WindowNumber number) {
    auto found = std::lower_bound(contributions_.begin(), contributions_.end(), number, before);
    for (; found != contributions_.end() && found->number == number; ++found)
      std::memcpy(&exchange_.order_.standing(*found), place, sizeof(std::int64_t));
    place += sizeof(std::int64_t);
  });
}

}  // namespace headrace::engine
