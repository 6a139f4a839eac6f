// The contract of node memory: what the ranks of one node share. A control area of fixed size,
// regions that each rank owns and may grow, and a bell per rank to sleep on.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"

namespace headrace::transport {

/// One object per rank, used by one thread at a time; only rank() and ring() may be called by
/// another one besides. Ranks of the node are 0..size()-1. A rank's
/// regions go with its object: it must not be destroyed while another rank may still ask region()
/// for them (what that rank has got already stays until its own object goes).
class NodeMemory {
 public:
  /// Regions a rank may own: 0 <= id < max_regions.
  static constexpr int max_regions = 16;
  /// No region is larger: reserve() refuses it.
  static constexpr std::size_t max_region_bytes = std::size_t{1} << 40;
  /// Bytes of the control area of a node of `ranks` ranks.
  static constexpr std::size_t control_bytes(int ranks) {
    return 65'536 + std::size_t{8'192} * static_cast<std::size_t>(ranks);
  }

  virtual ~NodeMemory() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// control_bytes(size()) bytes, zeroed when made, the same bytes on every rank of the node; holds
  /// std::atomic objects that the engine places there. Aligned to 64 bytes.
  virtual std::span<std::byte> control() = 0;

  /// Makes this rank's own region at least `bytes` large, backed by real memory and mapped here, so
  /// that neither region() of it nor touching it can fail later. Its content is lost if it grows,
  /// and addresses from region() before are void: call it only while no rank uses the region.
  /// Others see the new size once they synchronize with this rank through the control area.
  virtual Status reserve(int id, std::size_t bytes) = 0;
  /// How large this rank's own region is.
  virtual std::size_t reserved(int id) const = 0;

  /// Where rank `owner`'s region lies in this process, at least `bytes` long; nullptr if it cannot
  /// be mapped. Precondition: the owner has reserved so much, and bytes > 0.
  virtual std::byte* region(int owner, int id, std::size_t bytes) = 0;

  /// Bells. A waiter reads its own bell, tests what it waits for, and sleeps if the bell has not
  /// rung since; whoever changes what others may wait for rings them afterwards.
  virtual std::uint32_t bell() const = 0;
  virtual void ring(int rank) = 0;
  /// Sleeps until the bell differs from `seen`, or for `limit`; may wake early.
  virtual void sleep(std::uint32_t seen, std::chrono::microseconds limit) = 0;
};

}  // namespace headrace::transport
