// The messages between local aggregators and global aggregators of other nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "engine/board.hpp"
#include "engine/message_buffers.hpp"
#include "report/phases.hpp"
#include "transport/messenger.hpp"
#include "transport/team.hpp"

namespace headrace::engine {

/// Every message begins with this; then `list_bytes` of requests (plan/gather.hpp), then
/// `data_bytes`. Ranks of one job share one representation of integers.
struct MessageHeader {
  plan::WindowNumber number;
  std::int64_t list_bytes;
  std::int64_t data_bytes;
  std::int64_t readable_end;  ///< replies: file offset up to which there is data
  ErrorClass failed;          ///< not ok: the sender has nothing to give; its rank says more
  std::int32_t reply_slot;    ///< requests: names the tag of the reply
  std::int64_t asked_bytes;   ///< requests, of reads: of data in the reply
  plan::Cuts cuts;            ///< requests
};

/// Tags of a file's private communicator, each below 2^15.
constexpr int announcement_tag = 0;
inline int reply_tag(int slot) {
  return 1 + slot;
}
constexpr int order_tag = 1 + staging_count;  ///< places, in answer to an announcement
constexpr int search_tag = order_tag + 1;     ///< between node leaders (best_order.hpp)
/// Requests and data for a global aggregator; apart by round, so that a fast sender's next round is
/// not matched before a slow sender's last one.
inline int round_tag(std::int64_t round) {
  return search_tag + 1 + static_cast<int>(round % 16384);
}

/// A message received whole.
struct Message {
  int source = 0;
  MessageBuffers::Buffer bytes;

  const MessageHeader& header() const {
    return *std::launder(reinterpret_cast<const MessageHeader*>(bytes.get()));
  }
  std::span<const std::byte> list() const {
    return {bytes.get() + sizeof(MessageHeader), static_cast<std::size_t>(header().list_bytes)};
  }
  const std::byte* data() const { return list().data() + list().size(); }
  std::byte* data() { return bytes.get() + sizeof(MessageHeader) + header().list_bytes; }
  std::span<const std::byte> whole() const {
    return {bytes.get(), static_cast<std::size_t>(data() - bytes.get() + header().data_bytes)};
  }
};

/// The bytes of a message that is a list and data alone.
std::vector<std::byte> packed_message(std::span<const std::byte> list,
                                      std::span<const std::byte> data);

/// Receives the messages that a global aggregator gets, from senders it does not know beforehand.
class Inbox {
 public:
  /// Both outlive the object. The team has a messenger.
  Inbox(transport::Team& team, report::PhaseClock& clock);

  /// A message with this tag about window `number`, if one has come. Messages of the same tag about
  /// other windows are kept for later.
  std::optional<Message> take(int tag, plan::WindowNumber number);
  /// Any message with this tag that has come.
  std::optional<Message> take_any(int tag);
  /// True when no matched message is still being received.
  bool settled(int tag);
  /// The header and the list of a message.
  Message without_data(const Message& message);

 private:
  struct Incoming {
    Message message;
    transport::Operation operation;
  };
  void poll(int tag);
  bool receive_what_came(int tag);

  transport::Messenger& messenger_;
  MessageBuffers& buffers_;
  report::PhaseClock& clock_;
  std::vector<Incoming> incoming_;
  std::vector<Message> received_;
};

}  // namespace headrace::engine
