// The inter-node layer and the I/O phase (TAM paper, sections IV-B and IV-C): a global aggregator
// gathers the windows of its file domain in its collective buffers and writes them, or reads them
// and hands them out. Two buffers: while one is written, the other fills.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/domain_order.hpp"
#include "engine/exchange.hpp"
#include "engine/io_thread.hpp"
#include "engine/message.hpp"
#include "engine/window_io.hpp"
#include "plan/gather.hpp"
#include "plan/merge.hpp"

namespace headrace::engine {

class GlobalAggregator {
 public:
  /// Reads what the ranks of this node have published.
  explicit GlobalAggregator(Exchange& exchange);

  /// Learns from other nodes what will come, then serves its windows one after another.
  Task run();

 private:
  /// A window under way.
  struct Work {
    plan::WindowNumber number;
    plan::Window window;
    std::span<const Contribution> members;  // of this node
    int remote_lists;                       // local aggregators of other nodes with data in it
    int slot;
  };
  /// On its way to a local aggregator, which asks for no more than it has room for.
  struct Reply {
    MessageBuffers::Buffer bytes;
    std::int64_t size;
    transport::Operation sent;
  };

  void take_announcements();
  void take_announcement(Message message);
  void reserve_buffers();
  void begin_windows();
  std::vector<Work> rounds() const;
  std::vector<Work> in_order(std::vector<Work> works) const;
  Task serve_write(Work work);
  Task serve_read(Work work);
  void open_buffer(const Work& work, std::int64_t readable_end, ErrorClass failed);
  bool all_moved(const Work& work);
  void close_buffer(const Work& work);
  std::vector<int> local_aggregators_of(const Work& work) const;
  bool lists_are_here(const Work& work, std::span<const int> aggregators, std::size_t& known);
  plan::RunEncoder merge_lists(const Work& work, std::span<const int> aggregators,
                               const std::vector<Message>& messages);
  void learn(const Work& work, plan::RunEncoder requests, const std::vector<Message>& messages);
  void conclude(const Work& work);
  std::span<const std::byte> list_of(const Work& work, const Message& message) const;
  void scatter(const Work& work, const Message& message);
  Reply reply_to(const Work& work, const Message& request, std::int64_t readable_end);
  Reply send_reply(const Work& work, const Message& request, std::int64_t readable_end);
  std::int64_t bytes_under_way(std::vector<Reply>& replies);
  IoThread::Job start_io(std::function<void()> access);
  IoThread::Job start_write(const Work& work, Status& written);
  void begin_service(const plan::Window& window);
  IoThread::Job start_read(const Work& work, const plan::RunEncoder& requests,
                           std::span<BlocksRead> blocks, Result<std::int64_t>& end);
  bool is_done(IoThread::Job job) const { return !io_thread_ || io_thread_->is_done(job); }
  std::int64_t end_read(const Result<std::int64_t>& end);
  bool take_requests(const Work& work, std::vector<Message>& requests);

  BufferSlot& slot(const Work& work) { return exchange_.board().buffers[work.slot]; }
  std::byte* buffer(const Work& work) {
    return exchange_.map(exchange_.node_.rank(), region::buffer + work.slot, buffer_bytes_);
  }
  int round_tag_of(const Work& work) const {
    return round_tag(exchange_.windows_.round_of(work.number));
  }

  Exchange& exchange_;
  DomainPlan& plan_;
  std::optional<Inbox> inbox_;
  WindowIo io_;
  std::optional<DomainOrder> order_;  // none: it is known, or windows are served as they lie
  std::vector<Work> works_;           // in their order of service
  std::size_t next_ = 0;              // of them: to be begun
  std::array<bool, slot_count> busy_{};
  std::optional<IoThread> io_thread_;      // none: this rank waits for the storage
  std::int64_t buffer_bytes_ = 0;          // 0: no buffer could be had
  ErrorClass no_buffer_ = ErrorClass::ok;  // why
};

}  // namespace headrace::engine
