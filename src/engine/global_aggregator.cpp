#include "engine/global_aggregator.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "engine/copy.hpp"
#include "engine/team_cache.hpp"

namespace headrace::engine {

using report::Phase;

namespace {

constexpr auto everything = std::numeric_limits<std::int64_t>::max();

}  // namespace

GlobalAggregator::GlobalAggregator(Exchange& exchange)
    : exchange_(exchange),
      plan_(exchange.plan_.domain),
      io_(*exchange.storage_, exchange.options_, exchange.counters_) {
  if (exchange.team_.messenger) inbox_.emplace(exchange.team_, exchange.clock_);
  if (exchange.options_.early_return || exchange.storage_->traits().slow)
    io_thread_.emplace(exchange.node_);
  if (exchange.is_known_) return;
  std::vector<int> node(exchange.node_.size());
  std::iota(node.begin(), node.end(), 0);
  const auto is_mine = [&](plan::WindowNumber number) {
    return exchange.aggregator_rank(number) == exchange.team_.rank;
  };
  plan_.contributions = exchange.clock_.during(Phase::others_requests, [&] {
    return contributions(exchange.node_, node, exchange.roles_.order, is_mine);
  });
  if (exchange.order_.is_scheduled()) order_.emplace(exchange, plan_.contributions);
}

void GlobalAggregator::take_announcements() {
  while (auto message = inbox_->take_any(announcement_tag))
    exchange_.clock_.during(Phase::others_requests,
                            [&] { take_announcement(std::move(*message)); });
}

void GlobalAggregator::take_announcement(Message message) {
  for_each_window(message.list(),
                  [this](plan::WindowNumber number) { ++plan_.remote_lists[number]; });
  if (order_) order_->add(std::move(message));
}

/// Every window this rank will serve, as they lie in the file.
std::vector<GlobalAggregator::Work> GlobalAggregator::rounds() const {
  std::vector<Work> works;
  auto remote = plan_.remote_lists.begin();
  std::span<const Contribution> left = plan_.contributions;
  while (!left.empty() || remote != plan_.remote_lists.end()) {
    Work work{everything, {}, {}, 0, 0};
    if (!left.empty()) work.number = left[0].number;
    if (remote != plan_.remote_lists.end()) work.number = std::min(work.number, remote->first);
    if (!left.empty() && left[0].number == work.number) {
      work.members = first_window(left);
      left = left.subspan(work.members.size());
    }
    if (remote != plan_.remote_lists.end() && remote->first == work.number)
      work.remote_lists = (remote++)->second;
    work.window = exchange_.windows_.at(work.number);
    works.push_back(work);
  }
  return works;
}

/// Their order of service, and which slot each of them takes.
std::vector<GlobalAggregator::Work> GlobalAggregator::in_order(std::vector<Work> works) const {
  std::vector<Work> ordered;
  if (plan_.queue.empty())
    ordered = std::move(works);
  else
    for (const int window : plan_.queue) ordered.push_back(works[window]);
  for (std::size_t i = 0; i < ordered.size(); ++i)
    ordered[i].slot = static_cast<int>(i % slot_count);
  return ordered;
}

void GlobalAggregator::reserve_buffers() {
  std::int64_t bytes = 0;
  for (const Work& work : works_) bytes = std::max(bytes, work.window.length());
  Status status;
  const int slots = std::min(slot_count, static_cast<int>(works_.size()));
  for (int slot = 0; slot < slots && status.ok(); ++slot)
    status = exchange_.node_.reserve(region::buffer + slot, static_cast<std::size_t>(bytes));
  buffer_bytes_ = status.ok() ? bytes : 0;
  no_buffer_ = status.error_class();
  exchange_.status_.update(std::move(status));
}

Task GlobalAggregator::run() {
  Exchange& ex = exchange_;
  const bool is_told = inbox_ && !ex.is_known_;
  if (is_told)
    co_await Until{[&] {
      const bool all_sent = ex.board(0).all_announced.load(std::memory_order_acquire);
      take_announcements();
      return (all_sent && inbox_->settled(announcement_tag)) || ex.network_failed();
    }};
  if (is_told) take_announcements();

  if (order_) {
    ex.clock_.during(Phase::others_requests, [this] { plan_.queue = order_->decide(); });
    ex.scheduler_.spawn(order_->answer());
  }
  works_ = ex.clock_.during(Phase::others_requests, [this] { return in_order(rounds()); });
  ex.clock_.during(Phase::copy, [this] { reserve_buffers(); });
  begin_windows();
}

/// All that there are buffers for. A buffer that others are to fill is opened here, and not when
/// its window has its turn: before that the other window, if it is full, is written.
void GlobalAggregator::begin_windows() {
  Exchange& ex = exchange_;
  for (; next_ < works_.size() && !busy_[works_[next_].slot]; ++next_) {
    const Work& work = works_[next_];
    busy_[work.slot] = true;
    ++ex.counters_[report::Counter::rounds];
    if (ex.is_write_) open_buffer(work, everything, no_buffer_);
    ex.scheduler_.spawn(ex.is_write_ ? serve_write(work) : serve_read(work));
  }
}

Task GlobalAggregator::serve_write(Work work) {
  Exchange& ex = exchange_;
  std::vector<Message> lists;
  for (int left = work.remote_lists; left > 0; --left) {
    std::optional<Message> message;
    co_await Until{[&] {
      message = inbox_->take(round_tag_of(work), work.number);
      return message.has_value() || ex.network_failed();
    }};
    if (!message) break;
    ex.clock_.during(Phase::exchange, [&] {
      scatter(work, *message);
      if (!ex.is_known_) lists.push_back(inbox_->without_data(*message));
      message.reset();  // others may be received to its memory
    });
  }
  if (!ex.is_known_) {
    const std::vector<int> aggregators =
        ex.clock_.during(Phase::others_requests, [&] { return local_aggregators_of(work); });
    std::size_t here = 0;
    co_await Until{[&] { return lists_are_here(work, aggregators, here); }};
    ex.clock_.during(Phase::domain_sort,
                     [&] { learn(work, merge_lists(work, aggregators, lists), lists); });
    lists.clear();
  }
  co_await Until{[&] { return all_moved(work); }};
  Status written;
  const IoThread::Job job = start_write(work, written);
  co_await Until{[&] { return is_done(job); }};
  ex.status_.update(std::move(written));
  close_buffer(work);
  begin_windows();
}

/// Serves who has asked, and does not wait for the others: nodes go around the aggregators in
/// orders of their own, so some ask late, and perhaps not before others have their answers. What is
/// known to be asked for is read beforehand, all at once. Replies under way take no more memory
/// than a window, and one reply.
Task GlobalAggregator::serve_read(Work work) {
  Exchange& ex = exchange_;
  const std::vector<int> aggregators =
      ex.clock_.during(Phase::others_requests, [&] { return local_aggregators_of(work); });
  std::vector<BlocksRead> blocks = nothing_read(work.window);
  std::int64_t readable_end = everything;
  Result<std::int64_t> end = everything;
  if (ex.is_known_) {
    const IoThread::Job job = start_read(work, plan_.windows.at(work.number).requests, blocks, end);
    co_await Until{[&] { return is_done(job); }};
    readable_end = end_read(end);
  }
  std::vector<Reply> replies;
  bool node_is_served = aggregators.empty();
  for (int served = 0; served < work.remote_lists || !node_is_served;) {
    std::vector<Message> requests;
    bool node_asks = false;
    std::size_t here = 0;
    co_await Until{[&] {
      node_asks = !node_is_served && (ex.is_known_ || lists_are_here(work, aggregators, here));
      const bool all_taken = take_requests(work, requests);
      return (all_taken && (node_asks || !requests.empty())) || ex.network_failed();
    }};
    if (requests.empty() && !node_asks) break;
    if (!ex.is_known_) {
      const auto lists = node_asks ? std::span(aggregators) : std::span<const int>();
      plan::RunEncoder asked =
          ex.clock_.during(Phase::domain_sort, [&] { return merge_lists(work, lists, requests); });
      const IoThread::Job job = start_read(work, asked, blocks, end);
      co_await Until{[&] { return is_done(job); }};
      readable_end = std::min(readable_end, end_read(end));
      ex.clock_.during(Phase::domain_sort, [&] { learn(work, std::move(asked), requests); });
    }
    if (node_asks) open_buffer(work, readable_end, ex.status_.error_class());
    node_is_served |= node_asks;
    served += static_cast<int>(requests.size());
    for (const Message& request : requests) {
      if (request.header().failed != ErrorClass::ok) continue;
      co_await Until{[&] { return bytes_under_way(replies) < work.window.length(); }};
      ex.clock_.during(Phase::exchange,
                       [&] { replies.push_back(send_reply(work, request, readable_end)); });
    }
  }
  co_await Until{[&] { return bytes_under_way(replies) == 0 && all_moved(work); }};
  close_buffer(work);
  begin_windows();
}

/// Adds those that have come. False if more are just being received: who asks at one time is to be
/// served at one time, and not behind the window after this one.
bool GlobalAggregator::take_requests(const Work& work, std::vector<Message>& requests) {
  if (work.remote_lists == 0) return true;
  while (auto message = inbox_->take(round_tag_of(work), work.number))
    requests.push_back(std::move(*message));
  return inbox_->settled(round_tag_of(work));
}

/// By this rank; or beside it, where others go on as soon as they can. After a failure the storage
/// is left alone in this call, but the exchange goes on for the others.
IoThread::Job GlobalAggregator::start_io(std::function<void()> access) {
  if (buffer_bytes_ == 0 || !exchange_.status_.ok()) return IoThread::nothing;
  if (io_thread_) return io_thread_->start(std::move(access));
  exchange_.clock_.during(Phase::io, [&access] { access(); });
  return IoThread::nothing;
}

void GlobalAggregator::begin_service(const plan::Window& window) {
  for (const plan::Window::Piece& piece : window.pieces())
    exchange_.storage_->begin_service(piece.file);
}

IoThread::Job GlobalAggregator::start_write(const Work& work, Status& written) {
  // Looked up here, as others are added meanwhile.
  const plan::RunEncoder& requests = plan_.windows.at(work.number).requests;
  return start_io([&, data = buffer(work)] {
    begin_service(work.window);
    written = io_.write(data, work.window, requests);
  });
}

/// `end`: the file offset up to which there is data.
IoThread::Job GlobalAggregator::start_read(const Work& work, const plan::RunEncoder& requests,
                                           std::span<BlocksRead> blocks,
                                           Result<std::int64_t>& end) {
  end = std::int64_t{0};
  return start_io([&, blocks, data = buffer(work)] {
    if (std::ranges::none_of(blocks, &BlocksRead::has_any)) begin_service(work.window);
    end = io_.read(data, work.window, requests, blocks);
  });
}

std::int64_t GlobalAggregator::end_read(const Result<std::int64_t>& end) {
  exchange_.status_.update(end.status());
  return end.ok() ? *end : 0;
}

void GlobalAggregator::open_buffer(const Work& work, std::int64_t readable_end, ErrorClass failed) {
  BufferSlot& opened = slot(work);
  opened.readable_end = readable_end;
  opened.failed = failed;
  opened.movers = static_cast<std::int32_t>(work.members.size());
  opened.moved.store(0, std::memory_order_relaxed);
  opened.open.store(ticket_of(work.number), std::memory_order_release);
  for (const Contribution& member : work.members) exchange_.node_.ring(member.local_rank);
}

bool GlobalAggregator::all_moved(const Work& work) {
  return slot(work).moved.load(std::memory_order_acquire) == slot(work).movers;
}

void GlobalAggregator::close_buffer(const Work& work) {
  slot(work).open.store(0, std::memory_order_relaxed);
  if (!exchange_.is_known_) exchange_.clock_.during(Phase::domain_sort, [&] { conclude(work); });
  busy_[work.slot] = false;
}

/// Adds to what is known of a window what some have asked for. `messages`: theirs.
void GlobalAggregator::learn(const Work& work, plan::RunEncoder requests,
                             const std::vector<Message>& messages) {
  DomainPlan::Window& window = plan_.windows[work.number];
  if (window.requests.summary().requests == 0)
    window.requests = std::move(requests);
  else
    window.requests =
        plan::merge(std::array{window.requests.bytes(), requests.bytes()}, false).requests;
  for (const Message& message : messages)
    if (const auto list = message.list(); exchange_.plan_.keep(std::ssize(list)))
      window.lists.emplace(message.source, Wire(list.begin(), list.end()));
}

/// All have asked for what they want of the window.
void GlobalAggregator::conclude(const Work& work) {
  const auto found = plan_.windows.find(work.number);
  if (found == plan_.windows.end()) return;
  DomainPlan::Window& window = found->second;
  plan_.requests += window.requests.summary().requests - window.cuts.count();
  if (exchange_.plan_.keep(std::ssize(window.requests.bytes())))
    window.requests.shrink_to_fit();
  else
    plan_.windows.erase(found);
}

/// The requests of another node whose message it is.
std::span<const std::byte> GlobalAggregator::list_of(const Work& work,
                                                     const Message& message) const {
  if (!exchange_.is_known_) return message.list();
  return plan_.windows.at(work.number).lists.at(message.source);
}

/// The local aggregators on this node that have data in the window, each once.
std::vector<int> GlobalAggregator::local_aggregators_of(const Work& work) const {
  std::vector<int> aggregators;  // ascending, as members are
  for (const Contribution& member : work.members)
    if (const int aggregator = exchange_.local_aggregator_of_local(member.local_rank);
        aggregators.empty() || aggregators.back() != aggregator)
      aggregators.push_back(aggregator);
  return aggregators;
}

/// `known`: how many lists were found to be here; they are not looked for again.
bool GlobalAggregator::lists_are_here(const Work& work, std::span<const int> aggregators,
                                      std::size_t& known) {
  const auto is_here = [&](int aggregator) {
    return slot_with(exchange_.board(aggregator).staging, &StagingSlot::gathered,
                     ticket_of(work.number)) >= 0;
  };
  while (known < aggregators.size() && is_here(aggregators[known])) ++known;
  return known == aggregators.size();
}

/// The union of what these ask for in the window. The local lists are given back.
plan::RunEncoder GlobalAggregator::merge_lists(const Work& work, std::span<const int> aggregators,
                                               const std::vector<Message>& messages) {
  Exchange& ex = exchange_;
  std::vector<std::span<const std::byte>> wires;
  plan::Cuts cuts;
  const auto add = [&wires](std::span<const std::byte> packed) {
    std::ranges::copy(plan::lists_in(packed), std::back_inserter(wires));
  };
  for (const Message& message : messages) {
    add(message.list());
    cuts |= message.header().cuts;
  }
  std::vector<StagingSlot*> slots;
  for (const int aggregator : aggregators) {
    auto& staging = ex.board(aggregator).staging;
    const int index = slot_with(staging, &StagingSlot::gathered, ticket_of(work.number));
    const std::byte* list = ex.place_of(aggregator, staging[index]);
    if (list != nullptr) {
      add({list, static_cast<std::size_t>(staging[index].bytes)});
      cuts |= staging[index].cuts;
    }
    slots.push_back(&staging[index]);
  }
  plan::RunEncoder requests = plan::merge(wires, false).requests;
  plan_.windows[work.number].cuts |= cuts;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i]->gathered.store(0, std::memory_order_release);
    ex.node_.ring(aggregators[i]);
  }
  return requests;
}

/// Puts the data of another node to its place in the collective buffer.
void GlobalAggregator::scatter(const Work& work, const Message& message) {
  if (message.header().failed != ErrorClass::ok || buffer_bytes_ == 0) return;
  copy_runs(buffer(work), plan::runs_of(list_of(work, message)), message.data(),
            OneRun(0, message.header().data_bytes));
}

/// The data that `request` asks for, as far as the file has it; not sent yet.
GlobalAggregator::Reply GlobalAggregator::reply_to(const Work& work, const Message& request,
                                                   std::int64_t readable_end) {
  MessageHeader header = request.header();
  header.list_bytes = 0;
  header.data_bytes = buffer_bytes_ == 0 ? 0 : header.asked_bytes;
  header.readable_end = readable_end;
  header.failed = exchange_.status_.error_class();
  const auto size = static_cast<std::int64_t>(sizeof header) + header.data_bytes;
  Reply reply{TeamCache::of(exchange_.team_).message_buffers().take(size), size, {}};
  std::memcpy(reply.bytes.get(), &header, sizeof header);
  if (buffer_bytes_ != 0)
    copy_runs(reply.bytes.get() + sizeof header, OneRun(0, header.data_bytes), buffer(work),
              plan::runs_of(list_of(work, request)));
  return reply;
}

GlobalAggregator::Reply GlobalAggregator::send_reply(const Work& work, const Message& request,
                                                     std::int64_t readable_end) {
  Reply reply = reply_to(work, request, readable_end);
  ++exchange_.counters_[report::Counter::messages];
  exchange_.counters_[report::Counter::message_bytes] += reply.size;
  reply.sent =
      exchange_.team_.messenger->send(request.source, reply_tag(request.header().reply_slot),
                                      {reply.bytes.get(), static_cast<std::size_t>(reply.size)});
  return reply;
}

/// Forgets those that have gone.
std::int64_t GlobalAggregator::bytes_under_way(std::vector<Reply>& replies) {
  std::erase_if(replies, [this](const Reply& reply) { return exchange_.finished(reply.sent); });
  std::int64_t bytes = 0;
  for (const Reply& reply : replies) bytes += reply.size;
  return bytes;
}

}  // namespace headrace::engine
