// The plan of one collective call: what is decided before a byte moves. A pure function of what
// the ranks have agreed on; every rank makes the same one. Who sends which bytes to whom follows
// from it and from each rank's own pattern.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/extent.hpp"
#include "base/options.hpp"
#include "plan/domain_placement.hpp"
#include "plan/pattern.hpp"
#include "plan/window.hpp"
#include "plan/window_table.hpp"

namespace headrace::plan {

/// What all ranks together ask for.
struct CallShape {
  Extent range;            ///< from the lowest to the highest byte of any rank
  std::int64_t bytes = 0;  ///< of all ranks
  std::int64_t ranks_with_data = 0;
  /// Each rank that has data suits direct service, and can reach the file.
  bool every_rank_direct = false;
  /// Each rank's part is with all others of its node already.
  bool every_rank_small = false;
};

/// How a call is served.
enum class Service {
  nothing,    ///< no rank has data
  direct,     ///< each rank accesses the file itself, no exchange
  small,      ///< one rank of the only node, to which all have shown their data, accesses the file
  two_phase,  ///< P_L = P
  tam
};

/// From how many bytes on an exchange has nothing to gain.
struct DirectSizes {
  std::int64_t request;  ///< the mean of a rank's requests, if it has several
  std::int64_t rank;     ///< the mean of all ranks that have data
};
/// Of a storage with blocks and stripes of these sizes (0: none, or not known). Accesses of four
/// blocks take no longer than to move their data twice (docs/performance.md). Where ranks would
/// contend for stripes, only what is one extent has nothing to gain.
DirectSizes direct_sizes(std::int64_t block_size, std::int64_t stripe_size);

/// Whether a rank's part of the file suits direct service. O(1); of a part of a layout it may say
/// no where its requests would do.
bool suits_direct(const Pattern& file, const DirectSizes& sizes);

/// The most bytes from the lowest to the highest of a small call: one access of the storage.
constexpr std::int64_t small_range = 64 << 10;
/// Of a rank's part of one, with its list.
constexpr std::int64_t small_part = 4 << 10;
/// The list of a rank's part, at offsets from its begin; none where the part is too large.
/// Precondition: file.monotone().
std::optional<RunEncoder> small_list(const Pattern& file);

/// What `headrace_method` comes to for this call. `auto`: direct where that suits every rank, else
/// small on one node where the call is, unless windows are to be served in a certain order or by
/// certain ranks, else tam where more than one rank shares a node, else two_phase.
Service choose_service(const CallShape& shape, const Options& options, const DirectSizes& sizes,
                       int ranks, int nodes);

/// The most bytes of one window: the hint cb_buffer_size; on a single node at most
/// `node_window_bytes`, for windows cost no messages there, and small ones stay in the cache and
/// need fewer pages mapped by every rank.
std::int64_t window_bytes(const Options& options, int nodes);
constexpr std::int64_t node_window_bytes = 4 << 20;

/// An aggregator's: one fills while another drains.
constexpr int collective_buffers = 2;

/// Files are cut into file domains, one per global aggregator, and these into windows of at most
/// cb_buffer_size bytes, one a round.
class Windows {
 public:
  Windows() = default;
  /// Without stripes (stripe_size == 0): even, contiguous file domains, aligned to `alignment`
  /// (0: nobody asks for one; to pages) where the buffer allows. With stripes: a window is one
  /// stripe (or a buffer's part of one), and stripe s belongs to aggregator s mod P_G whatever the
  /// call's range, so that an aggregator always writes to the same storage targets (TAM paper,
  /// section IV-C).
  Windows(Extent range, int aggregators, std::int64_t buffer_size, std::int64_t stripe_size,
          std::int64_t alignment);
  /// File domains as they were placed: places of `table` are from the first cell, `alignment` is as
  /// above.
  Windows(Extent range, int aggregators, const Cells& cells,
          std::shared_ptr<const WindowTable> table, std::int64_t alignment);

  /// The same windows, of the same numbers, for a range `shift` bytes on. Pages then begin where
  /// they may; none where stripes, or an alignment that was asked for, would not be kept.
  std::optional<Windows> moved(std::int64_t shift) const;

  int aggregator_of(WindowNumber number) const noexcept {
    return static_cast<int>(number % aggregators_);
  }
  std::int64_t round_of(WindowNumber number) const noexcept { return number / aggregators_; }
  WindowNumber number_at(std::int64_t offset) const noexcept { return piece_at(offset).number; }
  /// Clipped to the call's range.
  Window at(WindowNumber number) const;

  /// The windows that a pattern touches, ascending. O(windows touched * log).
  std::vector<WindowNumber> touched(const Pattern& pattern) const;

 private:
  struct Piece {
    WindowNumber number;
    std::int64_t end;
  };
  Piece piece_at(std::int64_t offset) const noexcept;
  Extent extent(WindowNumber number) const noexcept;

  Extent range_;
  int aggregators_ = 1;
  std::int64_t window_size_ = 1;
  std::int64_t origin_ = 0;  // where the first domain begins, or the first stripe of aggregator 0
  std::int64_t step_ = 1;    // windows may move by multiples of it
  std::int64_t domain_size_ = 0;
  std::int64_t windows_per_stripe_ = 0;       // 0: no stripes
  std::shared_ptr<const WindowTable> table_;  // of placed domains
};

/// Windows of file domains that are where the data is, by the highest bids for the cells of the
/// range; none where even domains are better: no less would cross, or, unless the hint
/// headrace_file_domains insists, the windows would be so many that they cost more than that saves.
std::optional<Windows> placed_windows(const CallShape& shape, const Cells& cells,
                                      std::span<const std::int64_t> highest, const NodeMap& nodes,
                                      std::span<const int> global, const Options& options);

/// The order in which the roles of one node serve windows: by their places, and of one place from
/// the aggregator `first` on, around the ring. With a `first` of its own each node sends to another
/// aggregator at one time, and none is sent to by all. A window's place is its place in the queue
/// of its aggregator; where windows are served as they lie in the file, its round will do.
///
/// Each role works on two windows at once, and yet nobody waits for ever. An aggregator has its
/// window of the least place that is not done open, whatever the others do. A node is rid of a
/// window of another node's aggregator once that has taken its list, which it does while the window
/// is open; so that only windows of its own aggregators can hold a node up: they wait for the other
/// nodes. Say that window w, of the aggregator with index i, waits for a node, which is held up by
/// its own window v, of index j, of the same place. `first` comes after the node's last own
/// aggregator: its own are served in the order of their indices, and those behind the last of them
/// before all of these. As v comes before w, j is less than i. So whoever waits, waits for a lower
/// place or index, and the lowest waits for nobody.
class ServiceOrder {
 public:
  ServiceOrder() = default;
  ServiceOrder(int aggregators, int first) : aggregators_(aggregators), first_(first) {}

  /// Whether window a comes before window b, if both are served as they lie in the file.
  bool operator()(WindowNumber a, WindowNumber b) const noexcept {
    return key(a, a / aggregators_) < key(b, b / aggregators_);
  }

  /// Windows are served in the order of their keys.
  std::int64_t key(WindowNumber number, std::int64_t place) const noexcept {
    const WindowNumber aggregator = number % aggregators_;
    return place * aggregators_ + (aggregator - first_ + aggregators_) % aggregators_;
  }

 private:
  int aggregators_ = 1;
  int first_ = 0;
};

}  // namespace headrace::plan
