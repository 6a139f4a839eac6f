#include "engine/message.hpp"

#include <algorithm>
#include <cstring>

#include "engine/team_cache.hpp"

namespace headrace::engine {

std::vector<std::byte> packed_message(std::span<const std::byte> list,
                                      std::span<const std::byte> data) {
  MessageHeader header{};
  header.list_bytes = std::ssize(list);
  header.data_bytes = std::ssize(data);
  std::vector<std::byte> message(sizeof header + list.size() + data.size());
  std::memcpy(message.data(), &header, sizeof header);
  std::ranges::copy(data, std::ranges::copy(list, message.begin() + sizeof header).out);
  return message;
}

Inbox::Inbox(transport::Team& team, report::PhaseClock& clock)
    : messenger_(*team.messenger), buffers_(TeamCache::of(team).message_buffers()), clock_(clock) {}

void Inbox::poll(int tag) {
  clock_.poll(report::Phase::exchange, [&] { return receive_what_came(tag); });
}

/// False if nothing has come.
bool Inbox::receive_what_came(int tag) {
  const std::size_t known = incoming_.size() + received_.size();
  while (const auto arrival = messenger_.probe(tag)) {
    Message message{arrival->source, buffers_.take(arrival->bytes)};
    const std::span into(message.bytes.get(), arrival->bytes);
    const auto operation = messenger_.receive(*arrival, into);
    incoming_.push_back({std::move(message), operation});
  }
  const bool any_new = incoming_.size() + received_.size() > known;
  const std::size_t completed = std::erase_if(incoming_, [this](Incoming& incoming) {
    if (!messenger_.finished(incoming.operation)) return false;
    received_.push_back(std::move(incoming.message));
    return true;
  });
  return any_new || completed > 0;
}

std::optional<Message> Inbox::take(int tag, plan::WindowNumber number) {
  poll(tag);
  const auto found =
      std::find_if(received_.begin(), received_.end(),
                   [number](const Message& message) { return message.header().number == number; });
  if (found == received_.end()) return std::nullopt;
  Message message = std::move(*found);
  received_.erase(found);
  return message;
}

std::optional<Message> Inbox::take_any(int tag) {
  poll(tag);
  if (received_.empty()) return std::nullopt;
  Message message = std::move(received_.back());
  received_.pop_back();
  return message;
}

bool Inbox::settled(int tag) {
  poll(tag);
  return incoming_.empty();
}

Message Inbox::without_data(const Message& message) {
  MessageHeader header = message.header();
  header.data_bytes = 0;
  Message copy{message.source, buffers_.take(sizeof header + message.list().size())};
  std::memcpy(copy.bytes.get(), &header, sizeof header);
  std::ranges::copy(message.list(), copy.bytes.get() + sizeof header);
  return copy;
}

}  // namespace headrace::engine
