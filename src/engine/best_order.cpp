#include "engine/best_order.hpp"

#include <algorithm>
#include <optional>

#include "engine/order.hpp"
#include "engine/window_list.hpp"
#include "plan/accesses.hpp"
#include "plan/best_schedule.hpp"
#include "transport/waiter.hpp"

namespace headrace::engine {

using report::Phase;

namespace {

std::vector<std::int64_t> numbers_in(const Message& message) {
  std::vector<std::int64_t> numbers(message.header().data_bytes / sizeof(std::int64_t));
  std::copy_n(message.data(), message.header().data_bytes,
              std::as_writable_bytes(std::span(numbers)).begin());
  return numbers;
}

/// Of each window, the higher the earlier it is served; never 0.
std::vector<std::int64_t> scores_of(const plan::Queues& queues, int windows) {
  std::vector<std::int64_t> scores(windows);
  for (const std::vector<int>& queue : queues)
    for (std::size_t place = 0; place < queue.size(); ++place)
      scores[queue[place]] = std::ssize(queue) - static_cast<std::int64_t>(place);
  return scores;
}

/// By rank, as the windows that it touches.
std::vector<std::vector<std::int64_t>> best_weights(
    int aggregators, std::span<const std::vector<plan::WindowNumber>> touched) {
  const plan::Accesses accesses(aggregators, touched);
  std::vector<std::int64_t> left = scores_of(plan::best_queues(accesses), accesses.windows());
  std::vector<std::vector<std::int64_t>> weights(touched.size());
  for (int rank = 0; rank < accesses.processes(); ++rank)
    for (const int window : accesses.of(rank))
      weights[rank].push_back(std::exchange(left[window], 0));
  return weights;
}

}  // namespace

void BestOrder::find() {
  if (team_.rank == 0)
    search();
  else
    ask();
}

void BestOrder::search() {
  ByRank touched(team_.nodes.rank_count());
  if (!gather(touched)) return;
  const ByRank weights =
      clock_.during(Phase::my_requests, [&] { return best_weights(aggregators_, touched); });
  for (int node = 1; node < team_.nodes.node_count(); ++node)
    send(team_.nodes.ranks_of(node)[0], of_node(weights, node));
  replace(of_node(weights, 0));
}

void BestOrder::ask() {
  send(0, touched_by_node());
  Inbox inbox(team_, clock_);
  Message answer;
  if (receive(inbox, answer)) replace(numbers_in(answer));
}

/// For each rank of the node how many windows it touches, and these.
BestOrder::Numbers BestOrder::touched_by_node() const {
  Numbers numbers;
  for (int rank = 0; rank < team_.node->size(); ++rank) {
    const std::size_t count_at = numbers.size();
    numbers.push_back(0);
    for_each_window(touched_of(*team_.node, rank).list,
                    [&](plan::WindowNumber number) { numbers.push_back(number); });
    numbers[count_at] = std::ssize(numbers) - static_cast<std::int64_t>(count_at) - 1;
  }
  return numbers;
}

/// From all nodes. False after a failure of the network.
bool BestOrder::gather(ByRank& touched) {
  add_node(touched, 0, touched_by_node());
  if (!team_.messenger) return true;
  Inbox inbox(team_, clock_);
  for (int node = 1; node < team_.nodes.node_count(); ++node) {
    Message message;
    if (!receive(inbox, message)) return false;
    add_node(touched, team_.nodes.node_of(message.source), numbers_in(message));
  }
  return true;
}

void BestOrder::add_node(ByRank& touched, int node, std::span<const std::int64_t> numbers) const {
  for (const int rank : team_.nodes.ranks_of(node)) {
    const auto windows = numbers.subspan(1, numbers[0]);
    touched[rank].assign(windows.begin(), windows.end());
    numbers = numbers.subspan(1 + windows.size());
  }
}

BestOrder::Numbers BestOrder::of_node(const ByRank& weights, int node) const {
  Numbers numbers;
  for (const int rank : team_.nodes.ranks_of(node))
    numbers.insert(numbers.end(), weights[rank].begin(), weights[rank].end());
  return numbers;
}

void BestOrder::replace(std::span<const std::int64_t> weights) const {
  for (int rank = 0; rank < team_.node->size(); ++rank) {
    const auto standings = touched_of(*team_.node, rank).standings;
    std::ranges::copy(weights.first(standings.size()), standings.begin());
    weights = weights.subspan(standings.size());
  }
}

bool BestOrder::receive(Inbox& inbox, Message& message) {
  std::optional<Message> taken;
  clock_.during(Phase::waiting, [&] {
    transport::wait_until(*team_.node, true, [&] {
      team_.messenger->progress();
      taken = inbox.take_any(search_tag);
      return taken.has_value() || !team_.messenger->failure().ok();
    });
  });
  if (taken) message = std::move(*taken);
  return taken.has_value();
}

void BestOrder::send(int rank, std::span<const std::int64_t> numbers) {
  const std::vector<std::byte> message = packed_message({}, std::as_bytes(numbers));
  const transport::Operation sent = team_.messenger->send(rank, search_tag, message);
  clock_.during(Phase::waiting, [&] {
    transport::wait_until(*team_.node, true, [&] {
      team_.messenger->progress();
      return team_.messenger->finished(sent);
    });
  });
}

}  // namespace headrace::engine
