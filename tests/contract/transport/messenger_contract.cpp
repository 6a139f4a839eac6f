#include "contract/transport/messenger_contract.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <vector>

namespace headrace::test {
namespace {

using transport::Arrival;
using transport::Messenger;
using transport::Operation;
using Bytes = std::vector<std::byte>;

constexpr int some_tag = 7;
constexpr int highest_tag = 32'766;  // 32767 is that of agreements, on the same communicator

bool is_finished(Messenger& messenger, Operation operation) {
  messenger.progress();
  return messenger.finished(operation);
}

void finish(Messenger& messenger, Operation operation) {
  while (!is_finished(messenger, operation)) sched_yield();
}

Arrival await(Messenger& messenger, int tag) {
  for (;;) {
    if (const auto arrival = messenger.probe(tag)) return *arrival;
    sched_yield();
  }
}

Bytes receive(Messenger& messenger, const Arrival& arrival) {
  Bytes data(arrival.bytes);
  finish(messenger, messenger.receive(arrival, data));
  return data;
}

template <class T>
std::span<const std::byte> bytes_of(const T& object) {
  return std::as_bytes(std::span(&object, 1));
}

int int_of(const Bytes& data) {
  int value = -1;
  if (data.size() == sizeof value) std::memcpy(&value, data.data(), sizeof value);
  return value;
}

/// Returns once every rank has come here. By messages, for barriers are the leaders' alone.
void meet(Messenger& messenger) {
  constexpr int coming = highest_tag - 1, going = highest_tag;
  const Operation come = messenger.send(0, coming, {});
  std::vector<Operation> releases;
  if (messenger.rank() == 0) {
    for (int i = 0; i < messenger.size(); ++i) receive(messenger, await(messenger, coming));
    for (int i = 0; i < messenger.size(); ++i) releases.push_back(messenger.send(i, going, {}));
  }
  finish(messenger, come);
  receive(messenger, await(messenger, going));
  for (const Operation release : releases) finish(messenger, release);
}

/// Bytes that tell their sender and their place.
Bytes pattern(std::size_t size, int seed) {
  Bytes data(size);
  for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<std::byte>(i * 31 + i / 257 + seed);
  return data;
}

/// Tries for a while, making progress, to finish what must not finish.
bool finishes_soon(Messenger& messenger, Operation operation) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  while (std::chrono::steady_clock::now() < end) {
    if (is_finished(messenger, operation)) return true;
    sched_yield();
  }
  return false;
}

TEST_P(MessengerContract, ranks_are_numbered) {
  GetParam().run([](MessengerRank me) {
    EXPECT_GE(me.messenger.rank(), 0);
    EXPECT_LT(me.messenger.rank(), me.messenger.size());
    EXPECT_TRUE(me.messenger.failure().ok());
  });
}

TEST_P(MessengerContract, a_message_goes_round_the_ring) {
  GetParam().run([](MessengerRank me) {
    Messenger& messenger = me.messenger;
    const int rank = messenger.rank();
    const int next = (rank + 1) % messenger.size();
    const Operation sent = messenger.send(next, some_tag, bytes_of(rank));
    const Arrival arrival = await(messenger, some_tag);
    EXPECT_EQ(arrival.source, (rank + messenger.size() - 1) % messenger.size());
    EXPECT_EQ(int_of(receive(messenger, arrival)), arrival.source);
    finish(messenger, sent);
  });
}

TEST_P(MessengerContract, messages_of_one_source_and_tag_stay_in_order) {
  GetParam().run([](MessengerRank me) {
    Messenger& messenger = me.messenger;
    constexpr int count = 200;
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::vector<Operation> sends;
    for (const int& number : numbers)
      sends.push_back(
          messenger.send((messenger.rank() + 1) % messenger.size(), some_tag, bytes_of(number)));
    for (const int number : numbers)
      EXPECT_EQ(int_of(receive(messenger, await(messenger, some_tag))), number);
    for (const Operation send : sends) finish(messenger, send);
  });
}

TEST_P(MessengerContract, a_probe_sees_its_own_tag_only) {
  GetParam().run([](MessengerRank me) {
    Messenger& messenger = me.messenger;
    const int first = 1, second = 2;
    const int next = (messenger.rank() + 1) % messenger.size();
    const Operation one = messenger.send(next, highest_tag, bytes_of(first));
    const Operation two = messenger.send(next, 0, bytes_of(second));
    EXPECT_FALSE(messenger.probe(some_tag));
    EXPECT_EQ(int_of(receive(messenger, await(messenger, 0))), second);
    EXPECT_EQ(int_of(receive(messenger, await(messenger, highest_tag))), first);
    finish(messenger, one);
    finish(messenger, two);
    EXPECT_FALSE(messenger.probe(0));
  });
}

TEST_P(MessengerContract, a_send_is_not_finished_before_it_is_matched) {
  GetParam().run([](MessengerRank me) {
    Messenger& messenger = me.messenger;
    const int rank = messenger.rank();
    const Operation sent = messenger.send((rank + 1) % messenger.size(), some_tag, bytes_of(rank));
    EXPECT_FALSE(finishes_soon(messenger, sent));
    meet(messenger);  // nobody matches before everybody has looked
    receive(messenger, await(messenger, some_tag));
    finish(messenger, sent);
  });
}

TEST_P(MessengerContract, a_matched_message_can_wait_while_others_are_received) {
  GetParam().run([](MessengerRank me) {
    Messenger& messenger = me.messenger;
    const int first = 1, second = 2;
    const int next = (messenger.rank() + 1) % messenger.size();
    const Operation one = messenger.send(next, some_tag, bytes_of(first));
    const Operation two = messenger.send(next, some_tag, bytes_of(second));
    const Arrival early = await(messenger, some_tag);
    const Arrival late = await(messenger, some_tag);
    EXPECT_EQ(int_of(receive(messenger, late)), second);
    EXPECT_EQ(int_of(receive(messenger, early)), first);
    finish(messenger, one);
    finish(messenger, two);
  });
}

TEST_P(MessengerContract, a_message_can_be_expected_before_it_comes) {
  GetParam().run([](MessengerRank me) {
    Messenger& messenger = me.messenger;
    constexpr int tags = 5;
    const int rank = messenger.rank();
    const int before = (rank + messenger.size() - 1) % messenger.size();
    std::vector<Bytes> expected(tags, Bytes(3'000, std::byte{0x5A}));
    std::vector<Operation> operations;
    for (int tag = 0; tag < tags; ++tag)
      operations.push_back(messenger.expect(before, some_tag + tag, expected[tag]));
    for (const Operation operation : operations) EXPECT_FALSE(is_finished(messenger, operation));
    meet(messenger);  // nobody sends before everybody has looked
    // Shorter than there is room for, the last tag first.
    std::vector<Bytes> sent;
    for (int tag = 0; tag < tags; ++tag) sent.push_back(pattern(2'000 + tag, rank + tag));
    for (int tag = tags; tag-- > 0;)
      operations.push_back(
          messenger.send((rank + 1) % messenger.size(), some_tag + tag, sent[tag]));
    for (const Operation operation : operations) finish(messenger, operation);
    for (int tag = 0; tag < tags; ++tag) {
      Bytes whole = pattern(2'000 + tag, before + tag);
      whole.resize(3'000, std::byte{0x5A});
      EXPECT_TRUE(expected[tag] == whole);
    }
  });
}

TEST_P(MessengerContract, messages_may_be_empty) {
  GetParam().run([](MessengerRank me) {
    Messenger& messenger = me.messenger;
    const Operation sent = messenger.send((messenger.rank() + 1) % messenger.size(), some_tag, {});
    const Arrival arrival = await(messenger, some_tag);
    EXPECT_EQ(arrival.bytes, 0U);
    receive(messenger, arrival);
    finish(messenger, sent);
  });
}

TEST_P(MessengerContract, large_messages_arrive_whole_in_a_larger_buffer) {
  GetParam().run([](MessengerRank me) {
    Messenger& messenger = me.messenger;
    constexpr std::size_t size = 8 << 20;
    const Bytes data = pattern(size, messenger.rank());
    const Operation sent =
        messenger.send((messenger.rank() + 1) % messenger.size(), some_tag, data);
    const Arrival arrival = await(messenger, some_tag);
    ASSERT_EQ(arrival.bytes, size);
    Bytes into(size + 1, std::byte{0x5A});
    const Operation received = messenger.receive(arrival, into);
    finish(messenger, received);
    finish(messenger, sent);
    EXPECT_EQ(into.back(), std::byte{0x5A});
    into.pop_back();
    EXPECT_TRUE(into == pattern(size, arrival.source));
  });
}

TEST_P(MessengerContract, many_messages_from_all_to_one) {
  GetParam().run([](MessengerRank me) {
    Messenger& messenger = me.messenger;
    constexpr int count = 300;
    const Bytes data = pattern(1'000, messenger.rank());
    std::vector<Operation> sends;
    for (int i = 0; i < count; ++i) sends.push_back(messenger.send(0, some_tag, data));
    std::vector<int> from(messenger.size());
    if (messenger.rank() == 0) {
      for (int i = 0; i < count * messenger.size(); ++i) {
        const Arrival arrival = await(messenger, some_tag);
        ++from[arrival.source];
        EXPECT_TRUE(receive(messenger, arrival) == pattern(1'000, arrival.source));
      }
      EXPECT_TRUE(std::ranges::all_of(from, [](int messages) { return messages == count; }));
    }
    for (const Operation send : sends) finish(messenger, send);
  });
}

TEST_P(MessengerContract, reduce_gives_leaders_maxima_and_sums) {
  GetParam().run([](MessengerRank me) {
    if (!me.is_leader) return;
    Messenger& messenger = me.messenger;
    const std::int64_t rank = messenger.rank();
    const std::int64_t huge = std::int64_t{1} << 40;
    std::vector<std::int64_t> maxima{-1 - rank, 5, huge};
    std::vector<std::int64_t> sums{1, huge};
    finish(messenger, messenger.reduce(maxima, sums));
    EXPECT_EQ(maxima, (std::vector<std::int64_t>{-1, 5, huge}));  // rank 0 always leads
    EXPECT_EQ(sums, (std::vector<std::int64_t>{me.leaders, me.leaders * huge}));
  });
}

TEST_P(MessengerContract, reductions_may_be_one_sided_and_overlap) {
  GetParam().run([](MessengerRank me) {
    if (!me.is_leader) return;
    Messenger& messenger = me.messenger;
    std::vector<std::int64_t> maxima{messenger.rank() == 0 ? 9 : 3};
    std::vector<std::int64_t> sums{2};
    const Operation first = messenger.reduce(maxima, {});
    const Operation second = messenger.reduce({}, sums);
    finish(messenger, second);
    finish(messenger, first);
    EXPECT_EQ(maxima.front(), 9);
    EXPECT_EQ(sums.front(), 2 * me.leaders);
  });
}

TEST_P(MessengerContract, no_leader_leaves_a_barrier_before_the_last_has_come) {
  GetParam().run([](MessengerRank me) {
    if (!me.is_leader) return;
    Messenger& messenger = me.messenger;
    const bool last = messenger.rank() == 0;
    if (!last) {
      const Operation early = messenger.barrier();
      EXPECT_FALSE(finishes_soon(messenger, early));
      finish(messenger, messenger.send(0, some_tag, {}));
      finish(messenger, early);
      return;
    }
    for (int i = 1; i < me.leaders; ++i) receive(messenger, await(messenger, some_tag));
    finish(messenger, messenger.barrier());
  });
}

TEST_P(MessengerContract, handles_are_used_again) {
  GetParam().run([](MessengerRank me) {
    Messenger& messenger = me.messenger;
    Operation highest = 0;
    for (int i = 0; i < 1'000; ++i) {
      const Operation sent = messenger.send(messenger.rank(), some_tag, bytes_of(i));
      highest = std::max(highest, sent);
      EXPECT_EQ(int_of(receive(messenger, await(messenger, some_tag))), i);
      finish(messenger, sent);
    }
    EXPECT_LT(highest, 10);
  });
}

}  // namespace
}  // namespace headrace::test
