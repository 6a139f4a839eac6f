#include "engine/domain_order.hpp"

#include <cstring>
#include <utility>

#include "engine/exchange.hpp"
#include "plan/schedule.hpp"

namespace headrace::engine {

using report::Phase;

DomainOrder::DomainOrder(Exchange& exchange, std::span<const Contribution> contributions)
    : exchange_(exchange), contributions_(contributions) {
  for (const Contribution& each : contributions_)
    standings_[each.number] += exchange_.order_.standing(each);
}

void DomainOrder::add(Message announcement) {
  const std::byte* at = announcement.data();
  for_each_window(announcement.list(), [&](plan::WindowNumber number) {
    std::int64_t score = 0;
    std::memcpy(&score, at, sizeof score);
    standings_[number] += score;
    at += sizeof score;
  });
  announcements_.push_back(std::move(announcement));
}

std::vector<int> DomainOrder::decide() {
  std::vector<std::int64_t> scores;
  std::vector<plan::WindowNumber> numbers;
  for (const auto& [number, score] : standings_) {
    numbers.push_back(number);
    scores.push_back(score);
  }
  std::vector<int> queue = plan::by_score(scores);
  std::int64_t place = 0;
  for (const int window : queue) standings_[numbers[window]] = place++;
  for (const Contribution& each : contributions_)
    exchange_.order_.standing(each) = place_of(each.number);
  exchange_.order_.places_told();
  return queue;
}

/// In the place of the scores.
void DomainOrder::put_places(Message& announcement) const {
  std::byte* at = announcement.data();
  for_each_window(announcement.list(), [&](plan::WindowNumber number) {
    const std::int64_t place = place_of(number);
    std::memcpy(at, &place, sizeof place);
    at += sizeof place;
  });
}

Task DomainOrder::answer() {
  Exchange& ex = exchange_;
  std::vector<transport::Operation> sends;
  ex.clock_.during(Phase::exchange, [&] {
    for (Message& each : announcements_) {
      put_places(each);
      sends.push_back(ex.team_.messenger->send(each.source, order_tag, each.whole()));
    }
  });
  for (const transport::Operation send : sends)
    co_await Until{[&ex, send] { return ex.finished(send); }};
}

}  // namespace headrace::engine
