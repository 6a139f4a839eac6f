#include "engine/agreement.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <vector>

#include "transport/waiter.hpp"

namespace headrace::engine {

Agreement::Agreement(Team& team, report::PhaseClock& clock)
    : team_(team),
      clock_(clock),
      completed_(leader().released.load(std::memory_order_acquire)),
      passed_(own().passed.load(std::memory_order_relaxed)),
      all_passed_(passed_) {}

void Agreement::pass() {
  if (team_.messenger) return reduce({}, {});
  own().passed.store(++passed_, std::memory_order_release);
}

/// Nobody is rung when a point is passed, so that this looks again and again: most often all passed
/// long ago.
void Agreement::wait_for_passing() {
  if (all_passed_.load(std::memory_order_relaxed) == passed_) return;
  int next = 0;
  transport::wait_until(*team_.node, true, [&] {
    while (next < team_.node->size() &&
           board_of(*team_.node, next).passed.load(std::memory_order_acquire) >= passed_)
      ++next;
    return next == team_.node->size();
  });
  all_passed_.store(passed_, std::memory_order_relaxed);
}

/// What was sent may still be on its way out of this process when MPI says that it is sent, and
/// moves only while this rank calls MPI (Open MPI does so, over TCP). So who has sent goes on
/// looking at the network until all ranks have met, and leaders, who talk last of all, always do.
template <class Predicate>
void Agreement::wait(Predicate ready) {
  const bool looks = team_.messenger && (is_leader() || has_sent_);
  clock_.during(report::Phase::waiting, [&] {
    transport::wait_until(*team_.node, looks, [&] {
      if (looks) team_.messenger->progress();
      return ready();
    });
  });
}

/// This rank's words are there. Whether it is the one that combines those of its node: on one node
/// the last to come, which need not wait for any other; on several the leader, as only leaders
/// reduce between nodes.
bool Agreement::arrive() {
  assert(!has_begun_);
  const std::uint64_t before = leader().arrivals.fetch_add(1, std::memory_order_acq_rel);
  const bool is_last =
      before + 1 == (completed_ + 1) * static_cast<std::uint64_t>(team_.node->size());
  if (!team_.messenger) return is_last;
  if (is_last && !is_leader()) team_.node->ring(0);
  return is_leader();
}

bool Agreement::all_are_here() {
  return leader().arrivals.load(std::memory_order_acquire) ==
         (completed_ + 1) * static_cast<std::uint64_t>(team_.node->size());
}

void Agreement::release() {
  leader().released.store(completed_ + 1, std::memory_order_release);
  for (int rank = 0; rank < team_.node->size(); ++rank)
    if (rank != team_.node->rank()) team_.node->ring(rank);
}

void Agreement::meet_node() {
  if (arrive()) {
    wait([this] { return all_are_here(); });
    release();
  } else {
    wait([this] { return is_released(); });
  }
  ++completed_;
}

/// By one rank of the node, when all of it are here.
void Agreement::combine_node(std::span<std::int64_t> maxima, std::span<std::int64_t> sums) {
  const auto& first = leader().words;
  std::copy_n(first.begin(), maxima.size(), maxima.begin());
  std::copy_n(first.begin() + std::ssize(maxima), sums.size(), sums.begin());
  for (int rank = 1; rank < team_.node->size(); ++rank) {
    const auto& words = board_of(*team_.node, rank).words;
    for (std::size_t i = 0; i < maxima.size(); ++i) maxima[i] = std::max(maxima[i], words[i]);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += words[maxima.size() + i];
  }
}

void Agreement::reduce_nodes(std::span<std::int64_t> maxima, std::span<std::int64_t> sums) {
  if (!team_.messenger) return;
  const transport::Operation reduction = team_.messenger->reduce(maxima, sums);
  wait([&] { return team_.messenger->finished(reduction); });
}

void Agreement::publish(std::span<const std::int64_t> maxima, std::span<const std::int64_t> sums) {
  std::ranges::copy(sums, std::ranges::copy(maxima, leader().agreed.begin()).out);
  release();
}

/// Whether it is this rank that is to publish what came of it.
bool Agreement::combine(std::span<std::int64_t> maxima, std::span<std::int64_t> sums) {
  assert(maxima.size() + sums.size() <= agreement_words);
  auto& mine = own().words;
  std::ranges::copy(sums, std::ranges::copy(maxima, mine.begin()).out);
  if (!arrive()) return false;
  wait([this] { return all_are_here(); });
  combine_node(maxima, sums);
  reduce_nodes(maxima, sums);
  return true;
}

void Agreement::take(std::span<std::int64_t> maxima, std::span<std::int64_t> sums) {
  wait([this] { return is_released(); });
  const auto& agreed = leader().agreed;
  std::copy_n(agreed.begin(), maxima.size(), maxima.begin());
  std::copy_n(agreed.begin() + std::ssize(maxima), sums.size(), sums.begin());
}

// The maximum of rank 0's words and the least there is are rank 0's words.
void Agreement::reduce_and_tell(std::span<std::int64_t> maxima, std::string& text) {
  assert(maxima.size() <= agreement_words / 2);
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  const bool tells = team_.rank == 0;
  std::vector<std::int64_t> words(maxima.begin(), maxima.end());
  words.push_back(tells ? std::ssize(text) : least);
  std::size_t told = 0;
  do {
    const std::size_t first = words.size();
    words.resize(agreement_words, least);
    const auto part = std::as_writable_bytes(std::span(words).subspan(first));
    const std::size_t most = part.size();
    if (tells) std::memcpy(part.data(), text.data() + told, std::min(most, text.size() - told));
    reduce(words, {});
    if (told == 0) {
      std::copy_n(words.begin(), maxima.size(), maxima.begin());
      text.resize(static_cast<std::size_t>(words[maxima.size()]));
    }
    const std::size_t bytes = std::min(most, text.size() - told);
    std::memcpy(text.data() + told, part.data(), bytes);
    told += bytes;
    words.clear();
  } while (told < text.size());
}

// On several nodes the leaders must stay. If they left, another rank's finish() would wait for
// their return, and they might be waiting for that rank; and the reduction of the others would
// stand still where they do not call MPI.
void Agreement::begin(std::int64_t maximum) {
  own().words[0] = maximum;
  const bool combines = arrive();
  has_begun_ = true;
  if (!combines) return;
  wait([this] { return all_are_here(); });
  std::array<std::int64_t, 1> maxima{};
  combine_node(maxima, {});
  reduce_nodes(maxima, {});
  publish(maxima, {});
}

std::int64_t Agreement::finish() {
  assert(has_begun_);
  wait([this] { return is_released(); });
  ++completed_;
  has_begun_ = has_sent_ = false;
  return leader().agreed[0];
}

}  // namespace headrace::engine
