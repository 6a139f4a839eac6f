#include "transport/inproc/inproc_node.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "transport/futex.hpp"

namespace headrace::transport {
namespace {

constexpr std::size_t alignment = 64;

/// Memory that begins at a multiple of `alignment`. Not from the aligned operator new: glibc cuts
/// such blocks out of larger ones, and a program that opens and closes files in a loop is left with
/// a heap of splinters.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  /// Null if there is no memory.
  explicit AlignedBytes(std::size_t bytes)
      : whole_(new (std::nothrow) std::byte[bytes + alignment]) {}

  std::byte* get() const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(whole_.get());
    return whole_ ? whole_.get() + (alignment - address % alignment) : nullptr;
  }

 private:
  std::unique_ptr<std::byte[]> whole_;
};

struct Region {
  AlignedBytes memory;
  std::size_t bytes = 0;
};
using Regions = std::array<Region, NodeMemory::max_regions>;

}  // namespace

struct InprocNode::Shared {
  explicit Shared(int ranks)
      : control_bytes(NodeMemory::control_bytes(ranks)),
        control(control_bytes),
        regions(ranks),
        bells(ranks) {
    if (control.get() == nullptr) throw std::bad_alloc();
    std::memset(control.get(), 0, control_bytes);
  }

  const std::size_t control_bytes;
  const AlignedBytes control;
  // Written by the owner alone; the others read after they have synchronized with it through the
  // control area, as the contract says. So no lock here, and ThreadSanitizer tells who did not.
  std::vector<Regions> regions;
  std::vector<Bell> bells;
};

namespace {

class InprocNodeMemory final : public NodeMemory {
 public:
  InprocNodeMemory(std::shared_ptr<InprocNode::Shared> shared, int rank)
      : shared_(std::move(shared)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(shared_->bells.size()); }
  std::span<std::byte> control() override {
    return {shared_->control.get(), shared_->control_bytes};
  }

  Status reserve(int id, std::size_t bytes) override {
    Region& region = shared_->regions[rank_][id];
    if (bytes <= region.bytes) return {};
    region = {};  // freed first: the two need not fit together
    AlignedBytes memory = bytes <= max_region_bytes ? AlignedBytes(bytes) : AlignedBytes();
    if (memory.get() == nullptr)
      return {ErrorClass::no_memory, "cannot allocate a region of node memory"};
    region = {std::move(memory), bytes};
    return {};
  }

  std::size_t reserved(int id) const override { return shared_->regions[rank_][id].bytes; }

  std::byte* region(int owner, int id, std::size_t bytes) override {
    const Region& region = shared_->regions[owner][id];
    return bytes <= region.bytes ? region.memory.get() : nullptr;
  }

  std::uint32_t bell() const override { return rings_of(shared_->bells[rank_]); }
  void ring(int rank) override { ring_bell(shared_->bells[rank], FutexScope::one_process); }
  void sleep(std::uint32_t seen, std::chrono::microseconds limit) override {
    sleep_on_bell(shared_->bells[rank_], seen, limit, FutexScope::one_process);
  }

 private:
  const std::shared_ptr<InprocNode::Shared> shared_;
  const int rank_;
};

}  // namespace

InprocNode::InprocNode(int ranks) : shared_(std::make_shared<Shared>(ranks)) {}
InprocNode::~InprocNode() = default;

std::unique_ptr<NodeMemory> InprocNode::attach(int rank) const {
  return std::make_unique<InprocNodeMemory>(shared_, rank);
}

}  // namespace headrace::transport
