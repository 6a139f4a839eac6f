#include "transport/inproc/inproc_network.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "transport/slots.hpp"

namespace headrace::transport {
namespace {

/// A message on its way. The data are the sender's until the receiver has set `received`.
struct Message {
  int source = 0;
  int tag = 0;
  std::span<const std::byte> data;
  std::shared_ptr<std::atomic<bool>> received;
};

/// One reduction (a barrier is one of no elements).
struct Gathering {
  std::mutex mutex;
  int missing = 0;
  std::vector<std::int64_t> maxima;
  std::vector<std::int64_t> sums;
};

struct Mailbox {
  std::mutex mutex;
  std::deque<Message> messages;  // in the order of sending, so in order for each source and tag
};

}  // namespace

struct InprocNetwork::Shared {
  Shared(int ranks, std::span<const int> leader_ranks)
      : leaders(leader_ranks.begin(), leader_ranks.end()), mailboxes(ranks) {}

  bool is_leader(int rank) const { return std::ranges::find(leaders, rank) != leaders.end(); }

  /// The leaders' `number`-th reduction. It is forgotten here once all have asked for it.
  std::shared_ptr<Gathering> gathering(std::int64_t number) {
    const std::lock_guard lock(mutex);
    auto& [gathering, asked] = gatherings[number];
    if (!gathering) {
      gathering = std::make_shared<Gathering>();
      gathering->missing = static_cast<int>(leaders.size());
    }
    auto result = gathering;
    if (++asked == leaders.size()) gatherings.erase(number);
    return result;
  }

  struct Asked {
    std::shared_ptr<Gathering> gathering;
    std::size_t by = 0;
  };
  const std::vector<int> leaders;
  std::vector<Mailbox> mailboxes;
  std::mutex mutex;
  std::map<std::int64_t, Asked> gatherings;
};

namespace {

/// A message that is yet to come.
struct Expected {
  int source = 0;
  int tag = 0;
  std::span<std::byte> into;
};

/// What one rank waits for: one of the three, or nothing.
struct Pending {
  std::shared_ptr<std::atomic<bool>> received;
  std::shared_ptr<Gathering> gathering;
  std::span<std::int64_t> maxima;
  std::span<std::int64_t> sums;
  std::optional<Expected> expected;
};

void contribute(Gathering& gathering, const Pending& mine) {
  const std::lock_guard lock(gathering.mutex);
  if (gathering.maxima.empty()) gathering.maxima.assign(mine.maxima.begin(), mine.maxima.end());
  gathering.sums.resize(mine.sums.size());
  assert(gathering.maxima.size() == mine.maxima.size());
  for (std::size_t i = 0; i < mine.maxima.size(); ++i)
    gathering.maxima[i] = std::max(gathering.maxima[i], mine.maxima[i]);
  for (std::size_t i = 0; i < mine.sums.size(); ++i) gathering.sums[i] += mine.sums[i];
  --gathering.missing;
}

/// True once all have contributed; `mine` then has the result.
bool collect(Gathering& gathering, Pending& mine) {
  const std::lock_guard lock(gathering.mutex);
  if (gathering.missing > 0) return false;
  std::ranges::copy(gathering.maxima, mine.maxima.begin());
  std::ranges::copy(gathering.sums, mine.sums.begin());
  return true;
}

class InprocMessenger final : public Messenger {
 public:
  InprocMessenger(std::shared_ptr<InprocNetwork::Shared> shared, int rank)
      : shared_(std::move(shared)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(shared_->mailboxes.size()); }

  Operation send(int destination, int tag, std::span<const std::byte> data) override {
    const auto received = std::make_shared<std::atomic<bool>>(false);
    Mailbox& mailbox = shared_->mailboxes[destination];
    const std::lock_guard lock(mailbox.mutex);
    mailbox.messages.push_back({rank_, tag, data, received});
    return operations_.add({received, nullptr, {}, {}, {}});
  }

  std::optional<Arrival> probe(int tag) override {
    auto message = take([tag](const Message& each) { return each.tag == tag; });
    if (!message) return std::nullopt;
    return Arrival{message->source, message->data.size(), matched_.add(*message)};
  }

  Operation receive(const Arrival& arrival, std::span<std::byte> into) override {
    accept(matched_.take(arrival.handle), into);
    return operations_.add({});
  }

  Operation expect(int source, int tag, std::span<std::byte> into) override {
    return operations_.add({nullptr, nullptr, {}, {}, Expected{source, tag, into}});
  }

  Operation reduce(std::span<std::int64_t> maxima, std::span<std::int64_t> sums) override {
    assert(shared_->is_leader(rank_));
    Pending pending{nullptr, shared_->gathering(reductions_++), maxima, sums, {}};
    contribute(*pending.gathering, pending);
    return operations_.add(std::move(pending));
  }

  Operation barrier() override { return reduce({}, {}); }

  bool progress() override { return false; }  // finished() itself looks

  bool finished(Operation operation) override {
    Pending& pending = operations_[operation];
    if (pending.received && !pending.received->load(std::memory_order_acquire)) return false;
    if (pending.gathering && !collect(*pending.gathering, pending)) return false;
    if (pending.expected && !has_come(*pending.expected)) return false;
    operations_.take(operation);
    return true;
  }

  Status failure() const override { return {}; }

 private:
  /// The first of these in the mailbox.
  template <class Wanted>
  std::optional<Message> take(Wanted wanted) {
    Mailbox& mailbox = shared_->mailboxes[rank_];
    const std::lock_guard lock(mailbox.mutex);
    const auto found = std::ranges::find_if(mailbox.messages, wanted);
    if (found == mailbox.messages.end()) return std::nullopt;
    Message message = std::move(*found);
    mailbox.messages.erase(found);
    return message;
  }

  static void accept(const Message& message, std::span<std::byte> into) {
    assert(into.size() >= message.data.size());
    std::ranges::copy(message.data, into.begin());
    message.received->store(true, std::memory_order_release);
  }

  bool has_come(const Expected& expected) {
    const auto message = take([&](const Message& each) {
      return each.source == expected.source && each.tag == expected.tag;
    });
    if (message) accept(*message, expected.into);
    return message.has_value();
  }

  const std::shared_ptr<InprocNetwork::Shared> shared_;
  const int rank_;
  Slots<Pending> operations_;
  Slots<Message> matched_;
  std::int64_t reductions_ = 0;
};

}  // namespace

InprocNetwork::InprocNetwork(int ranks, std::span<const int> leaders)
    : shared_(std::make_shared<Shared>(ranks, leaders)) {}
InprocNetwork::~InprocNetwork() = default;

std::unique_ptr<Messenger> InprocNetwork::attach(int rank) const {
  return std::make_unique<InprocMessenger>(shared_, rank);
}

}  // namespace headrace::transport
