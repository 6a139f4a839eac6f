#include "transport/shm/shm_node.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "base/round.hpp"
#include "transport/futex.hpp"
#include "transport/shm/huge_pages.hpp"
#include "transport/shm/mapping.hpp"

namespace headrace::transport {
namespace {

constexpr std::int64_t cache_line = 64;
constexpr FutexScope scope = FutexScope::any_process;

/// How many bytes of each region have memory. Published by the owner before it synchronizes with
/// the others through the control area.
using Capacities = std::array<std::atomic<std::int64_t>, NodeMemory::max_regions>;

std::int64_t page_size() {
  return sysconf(_SC_PAGESIZE);
}

/// The common area of a node, at the start of its first rank's file: the control area, then a bell
/// and the capacities of every rank. Zeroed memory is its valid first state.
struct AreaLayout {
  explicit AreaLayout(int ranks)
      : bells(round_up(NodeMemory::control_bytes(ranks), cache_line)),
        capacities(bells + ranks * std::int64_t{sizeof(Bell)}),
        end(capacities + ranks * std::int64_t{sizeof(Capacities)}) {}
  std::int64_t bells;
  std::int64_t capacities;
  std::int64_t end;
};

/// The regions of one file lie this far apart. To grow a file beyond the limit on file sizes would
/// be a deadly signal, so a limited process gets less.
std::int64_t region_stride() {
  constexpr std::int64_t unlimited = NodeMemory::max_region_bytes;
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const auto share = static_cast<std::int64_t>(limit.rlim_cur / (NodeMemory::max_regions + 1));
  constexpr auto huge_page = static_cast<std::int64_t>(huge_page_bytes);
  return std::min(unlimited, round_down(share, share < huge_page ? page_size() : huge_page));
}

/// More than this is refused before the system is asked: it might end processes to find the memory.
std::int64_t physical_memory() {
  return sysconf(_SC_PHYS_PAGES) * page_size();
}

class ShmNode final : public NodeMemory {
 public:
  ShmNode(UniqueFd own, int rank, std::span<const ShmPeer> peers)
      : rank_(rank),
        layout_(static_cast<int>(peers.size())),
        own_(std::move(own)),
        spare_(spare_descriptor()),
        stride_(peers[rank].stride),
        peers_(peers.size()) {}

  /// The steps of the set-up, in order.
  Status give_control();
  Status attach(std::span<const ShmPeer> peers);

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(peers_.size()); }
  std::span<std::byte> control() override { return {area_.data(), control_bytes(size())}; }
  Status reserve(int id, std::size_t bytes) override;
  std::size_t reserved(int id) const override {
    return static_cast<std::size_t>(capacity(rank_, id).load(std::memory_order_relaxed));
  }
  std::byte* region(int owner, int id, std::size_t bytes) override;
  std::uint32_t bell() const override { return rings_of(bell_of(rank_)); }
  void ring(int rank) override { ring_bell(bell_of(rank), scope); }
  void sleep(std::uint32_t seen, std::chrono::microseconds limit) override {
    sleep_on_bell(bell_of(rank_), seen, limit, scope);
  }

 private:
  struct Peer {
    ShmPeer where;
    UniqueFd kept;  // where a name is the only way in, and it is gone after the set-up
    std::array<Mapping, max_regions> regions;
  };

  UniqueFd spare_descriptor() const;
  Status attach_peer(int rank, const ShmPeer& where);
  Status grow(int id, std::size_t bytes);
  Mapping map(Peer& peer, std::int64_t offset, std::int64_t bytes);
  Bell& bell_of(int rank) const {
    return reinterpret_cast<Bell*>(area_.data() + layout_.bells)[rank];
  }
  std::atomic<std::int64_t>& capacity(int owner, int id) const {
    return reinterpret_cast<Capacities*>(area_.data() + layout_.capacities)[owner][id];
  }

  const int rank_;
  const AreaLayout layout_;
  const UniqueFd own_;
  UniqueFd spare_;  // given up for a moment where a program has used up its descriptors
  const std::int64_t stride_;
  std::vector<Peer> peers_;
  Mapping area_;
};

Status ShmNode::give_control() {
  if (stride_ < layout_.end)
    return {ErrorClass::no_memory, "the limit on file sizes leaves no room for shared memory"};
  return rank_ == 0 ? allocate_backing(own_.get(), 0, layout_.end) : Status();
}

Status ShmNode::attach(std::span<const ShmPeer> peers) {
  for (int rank = 0; rank < size(); ++rank)
    if (Status status = attach_peer(rank, peers[rank]); !status.ok()) return status;
  area_ = map(peers_.front(), 0, layout_.end);
  if (area_.data() == nullptr) return {ErrorClass::no_memory, "cannot map shared memory"};
  return {};
}

// Two files are opened now, so that the ranks can agree on another way if one is refused; all of
// them would be the square of the node's ranks. A name is gone soon, and wanted at once.
Status ShmNode::attach_peer(int rank, const ShmPeer& where) {
  Peer& peer = peers_[rank];
  peer.where = where;
  if (rank == rank_) return {};
  const bool is_proof = rank == 0 || rank == (rank_ + 1) % size();
  if (!where.file.is_named() && !is_proof) return {};
  auto file = open_shared_file(where.file);
  if (!file.ok()) return file.status();
  if (where.file.is_named()) peer.kept = std::move(*file);
  return {};
}

UniqueFd ShmNode::spare_descriptor() const {
  return UniqueFd(fcntl(own_.get(), F_DUPFD_CLOEXEC, 0));
}

Mapping ShmNode::map(Peer& peer, std::int64_t offset, std::int64_t bytes) {
  if (&peer == &peers_[rank_]) return {own_.get(), offset, static_cast<std::size_t>(bytes)};
  if (peer.kept) return {peer.kept.get(), offset, static_cast<std::size_t>(bytes)};
  Mapping mapped;
  {
    auto file = open_shared_file(peer.where.file);
    if (!file.ok()) {
      spare_ = {};
      file = open_shared_file(peer.where.file);
    }
    if (file.ok()) mapped = {file->get(), offset, static_cast<std::size_t>(bytes)};
  }
  if (!spare_) spare_ = spare_descriptor();
  return mapped;
}

Status ShmNode::reserve(int id, std::size_t bytes) {
  if (bytes <= reserved(id)) return {};
  if (Status status = grow(id, bytes); !status.ok()) return status;
  if (region(rank_, id, bytes) != nullptr) return {};
  capacity(rank_, id).store(0, std::memory_order_relaxed);
  return {ErrorClass::no_memory, "cannot map shared memory"};
}

Status ShmNode::grow(int id, std::size_t bytes) {
  std::atomic<std::int64_t>& has = capacity(rank_, id);
  const std::int64_t old = has.load(std::memory_order_relaxed);
  const auto most = std::min({stride_, region_stride(), physical_memory()});
  if (bytes > static_cast<std::size_t>(most))
    return {ErrorClass::no_memory, "more shared memory is asked for than there can be"};
  const std::int64_t wanted = round_up(static_cast<std::int64_t>(bytes), page_size());
  const std::int64_t grown = std::min(rounded_for_huge_pages(wanted), most);
  Status status = allocate_backing(own_.get(), (id + 1) * stride_ + old, grown - old);
  if (status.ok()) has.store(grown, std::memory_order_relaxed);
  return status;
}

std::byte* ShmNode::region(int owner, int id, std::size_t bytes) {
  Peer& peer = peers_[owner];
  Mapping& mapped = peer.regions[id];
  if (bytes <= mapped.bytes()) return mapped.data();
  const std::int64_t has = capacity(owner, id).load(std::memory_order_relaxed);
  if (bytes > static_cast<std::size_t>(has)) return nullptr;
  mapped = {};  // first, so that both need not fit in the address space
  mapped = map(peer, (id + 1) * peer.where.stride, has);
  return mapped.data();
}

}  // namespace

ShmPeer shm_peer(const SharedFile& file) {
  return {file.location(), region_stride()};
}

Result<std::unique_ptr<NodeMemory>> join_shm_node(SharedFile& own, int rank,
                                                  std::span<const ShmPeer> peers) {
  auto node = std::make_unique<ShmNode>(own.give_away(), rank, peers);
  Status status = node->give_control();
  if (status.ok()) status = node->attach(peers);
  if (!status.ok()) return status;
  return std::unique_ptr<NodeMemory>(std::move(node));
}

}  // namespace headrace::transport
