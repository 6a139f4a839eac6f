// A messenger whose messages are matched, and so sent, before all of their data has left the
// sender: the rest goes on its way only while the sender goes on looking at the network, as with
// Open MPI over TCP.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "transport/messenger.hpp"

namespace headrace::test {

class LateMessenger final : public transport::Messenger {
 public:
  /// How often each rank has looked at the network; of all ranks.
  using Looks = std::vector<std::atomic<int>>;

  LateMessenger(std::unique_ptr<Messenger> messenger, std::shared_ptr<Looks> looks)
      : messenger_(std::move(messenger)), looks_(std::move(looks)) {}

  int rank() const override { return messenger_->rank(); }
  int size() const override { return messenger_->size(); }

  transport::Operation send(int destination, int tag, std::span<const std::byte> data) override {
    return messenger_->send(destination, tag, data);
  }
  std::optional<transport::Arrival> probe(int tag) override { return messenger_->probe(tag); }
  transport::Operation receive(const transport::Arrival& arrival,
                               std::span<std::byte> into) override {
    return late(arrival.source, messenger_->receive(arrival, into));
  }
  transport::Operation expect(int source, int tag, std::span<std::byte> into) override {
    return late(source, messenger_->expect(source, tag, into));
  }
  transport::Operation reduce(std::span<std::int64_t> maxima,
                              std::span<std::int64_t> sums) override {
    return messenger_->reduce(maxima, sums);
  }
  transport::Operation barrier() override { return messenger_->barrier(); }

  bool progress() override {
    (*looks_)[rank()].fetch_add(1);
    return messenger_->progress();
  }
  bool finished(transport::Operation operation) override {
    const auto found = received_.find(operation);
    if (found == received_.end()) return messenger_->finished(operation);
    Received& late = found->second;
    if (late.operation) {
      if (!messenger_->finished(*late.operation)) return false;
      late.operation.reset();
      late.looks = (*looks_)[late.source] + looks_of_the_rest;
    }
    if ((*looks_)[late.source] < late.looks) return false;
    received_.erase(found);
    return true;
  }
  Status failure() const override { return messenger_->failure(); }

 private:
  static constexpr int looks_of_the_rest = 3;

  struct Received {
    int source;
    std::optional<transport::Operation> operation;  // none: its data is here, as far as it has left
    int looks = 0;                                  // of the sender, until all of it has
  };

  transport::Operation late(int source, transport::Operation operation) {
    received_.emplace(--last_, Received{source, operation});
    return last_;
  }

  std::unique_ptr<Messenger> messenger_;
  std::shared_ptr<Looks> looks_;
  std::map<transport::Operation, Received> received_;
  transport::Operation last_ = 0;  // own handles are negative
};

}  // namespace headrace::test
