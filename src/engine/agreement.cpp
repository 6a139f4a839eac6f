#include "engine/agreement.hpp"

#include <algorithm>
#include <cassert>

#include "transport/waiter.hpp"

namespace headrace::engine {

Agreement::Agreement(Team& team, report::PhaseClock& clock)
    : team_(team), clock_(clock), completed_(leader().released.load(std::memory_order_acquire)) {}

template <class Predicate>
void Agreement::wait(bool polls_network, Predicate ready) {
  clock_.during(report::Phase::waiting,
                [&] { transport::wait_until(*team_.node, polls_network, ready); });
}

/// Announces this rank's words; the leader returns when all of the node have, the others when the
/// leader has released them.
void Agreement::arrive() {
  transport::NodeMemory& node = *team_.node;
  const std::uint64_t everyone = (completed_ + 1) * static_cast<std::uint64_t>(node.size());
  if (leader().arrivals.fetch_add(1, std::memory_order_acq_rel) + 1 == everyone) node.ring(0);
  if (is_leader())
    wait(false, [&] { return leader().arrivals.load(std::memory_order_acquire) == everyone; });
  else
    wait(false, [&] { return leader().released.load(std::memory_order_acquire) > completed_; });
  ++completed_;
}

void Agreement::release() {
  leader().released.store(completed_, std::memory_order_release);
  for (int rank = 1; rank < team_.node->size(); ++rank) team_.node->ring(rank);
}

void Agreement::meet_node() {
  arrive();
  if (is_leader()) release();
}

void Agreement::reduce(std::span<std::int64_t> maxima, std::span<std::int64_t> sums) {
  assert(maxima.size() + sums.size() <= agreement_words);
  transport::NodeMemory& node = *team_.node;
  auto& mine = board_of(node, node.rank()).words;
  std::copy(sums.begin(), sums.end(), std::copy(maxima.begin(), maxima.end(), mine.begin()));
  arrive();
  if (is_leader()) {
    for (int rank = 1; rank < node.size(); ++rank) {
      const auto& words = board_of(node, rank).words;
      for (std::size_t i = 0; i < maxima.size(); ++i) maxima[i] = std::max(maxima[i], words[i]);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += words[maxima.size() + i];
    }
    if (team_.messenger) {
      const auto reduction = team_.messenger->reduce(maxima, sums);
      wait(true, [&] { return team_.messenger->finished(reduction); });
    }
    std::copy(sums.begin(), sums.end(),
              std::copy(maxima.begin(), maxima.end(), leader().agreed.begin()));
    release();
  } else {
    const auto sums_begin = leader().agreed.begin() + static_cast<std::ptrdiff_t>(maxima.size());
    std::copy(leader().agreed.begin(), sums_begin, maxima.begin());
    std::copy_n(sums_begin, sums.size(), sums.begin());
  }
}

}  // namespace headrace::engine
