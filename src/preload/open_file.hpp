// One open file on one rank: what the program set, and the engine that serves its collective calls.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/collective_file.hpp"
#include "mpi/handles.hpp"
#include "preload/file_hints.hpp"
#include "preload/file_state.hpp"
#include "preload/host_file.hpp"
#include "preload/independent_calls.hpp"
#include "preload/shared_pointer.hpp"
#include "report/report.hpp"
#include "transport/mpi/team_lease.hpp"

namespace headrace::preload {

/// Used by one thread at a time, as MPI demands of collective calls on one file.
class OpenFile {
 public:
  /// `lease` is of the file's communicator, and not empty. `name` as MPI_File_open got it. Local.
  OpenFile(transport::TeamLease lease, const std::string& name, int amode);

  /// As MPI_File_open on `comm`, of which the lease is. Ranks that can share a team have handles of
  /// their own of the host's, or will have, else one for all; a single rank makes its team when it
  /// is needed. Returns the host's code; or a failure of which the host knows nothing, of the same
  /// class on every rank, where files begin with MPI_ERRORS_RETURN. After either the object is of
  /// no use. Collective.
  Result<int> open(MPI_Comm comm, MPI_Info info) noexcept;
  /// The program's: the host's, or one that Headrace gives where the host's may not be open.
  MPI_File handle() const noexcept { return handle_; }
  bool has_handle_of_headrace() const noexcept { return handle_ == mpi::handle_of(*this); }

  HostFile& host() noexcept { return host_; }
  /// As the MPI functions. Collective.
  int set_view(const ViewArguments& arguments, MPI_Info info) noexcept;
  int set_atomicity(int flag) noexcept;
  /// As independent_calls.hpp has them. Local; thread-safe.
  const IndependentCalls& independent_calls() const noexcept { return independent_calls_; }
  engine::Outcome transfer_alone(const Request& request) noexcept;
  /// As HostFile has it. Collective.
  Result<std::optional<MPI_File>> host_of_all_ranks() noexcept;
  /// The program makes nonblocking collectives: such files are best the host's from now on, where
  /// it makes these well. Local; thread-safe.
  static void prefer_host_of_all_ranks() noexcept;
  /// The program has changed the error handler that files begin with, MPI_ERRORS_RETURN: from now
  /// on handles are opened at once, to begin with another. Local; thread-safe.
  static void change_first_handler() noexcept;

  /// The individual file pointer, in etypes, as FileState has it.
  Result<MPI_Offset> position() const noexcept { return preload::position(state_); }
  /// `offset` >= 0.
  Status set_position(MPI_Offset offset) noexcept { return preload::set_position(state_, offset); }

  /// Null: the shared file pointer is the host's, of all ranks.
  SharedPointer* shared_pointer() noexcept { return shared_pointer_ ? &*shared_pointer_ : nullptr; }

  MPI_Comm comm() const noexcept { return state_.comm; }
  int rank() const noexcept { return rank_; }
  /// What MPI_File_open got.
  int amode() const noexcept { return state_.amode; }
  bool is_atomic() const noexcept { return state_.atomic; }
  /// In the view.
  std::int64_t etype_size() const noexcept { return state_.etype_size; }
  /// Where the file ends, in etypes of the view. Precondition: there is a view. Local.
  Result<MPI_Offset> end() noexcept;

  /// The smallest of all ranks' values, in place; false: ranks could not agree. Collective.
  bool minima(std::span<std::int64_t> values) noexcept;
  /// This rank's failure, or one of the worst class of all ranks'. Collective.
  Status agreed(const Status& mine) noexcept;

  /// Takes in the hints. Collective in the program, local here.
  void add_hints(MPI_Info info) noexcept;

  /// As MPI_File_get_info: the options in effect, and the host's other hints. Local.
  Result<std::vector<Hint>> shown_hints() const;

  /// The options in effect: this rank's where ranks are still to agree on rank 0's.
  Options options() const;

  /// Collective. On success the individual file pointer has moved, if the request is at it.
  engine::Outcome transfer(const Request& request) noexcept;

  /// Says in the log, the first time only, that `call` cannot be made because the view is withheld.
  void tell_refusal(std::string_view call, engine::Veto why);

  /// Before the file is looked at or changed other than by transfer(): waits until all ranks have
  /// come to where this one is, and have done a call that it came back from early. Local.
  void wait_for_others() noexcept;

  /// What a call that returned early has still to tell, once. Collective; the same class on every
  /// rank.
  Status settle() noexcept;
  /// After the host's part of it, which came to `code`. Collective; the same class on every rank.
  /// Not without settle() before.
  Status sync(int code) noexcept;

  /// Settles, reports, and frees what ranks share: all but the host's handle. Collective; nothing
  /// but that is to be closed afterwards.
  Status close() noexcept;

  /// The split collective under way, if any: begun by transfer(), not yet ended.
  struct Split {
    std::string_view end;  ///< the name of the function that must end it
    /// None: the host has begun it, and must end it.
    std::optional<engine::Outcome> outcome;
    MPI_File host = MPI_FILE_NULL;  ///< by this handle
  };
  std::optional<Split>& split() noexcept { return split_; }

 private:
  Result<bool> opened_by_each_rank(MPI_Info info);
  bool may_be_opened_by_each_rank() const;
  void undo_opening(bool is_open);
  bool open_first(MPI_Info info);
  Status begin_alone();
  void begin_shared_pointer(std::int64_t token);
  bool make_team();
  void make_engine();
  engine::Outcome asked_engine(const Request& request);
  bool ready() noexcept;
  void pass() noexcept;
  Status delete_if_asked();
  bool is_sequential() const { return (state_.amode & MPI_MODE_SEQUENTIAL) != 0; }
  void tell_complaints();
  void report();
  void add_host_calls(report::FileReport& file) const;

  transport::TeamLease lease_;
  int rank_ = 0;
  int ranks_ = 0;
  std::string name_;
  std::string path_;
  FileState state_;
  MPI_File handle_ = MPI_FILE_NULL;
  HostFile host_;
  IndependentCalls independent_calls_;
  std::optional<SharedPointer> shared_pointer_;
  std::atomic<bool> told_refusal_ = false;
  FileHints hints_;
  bool has_new_hints_ = false;  // which ranks have not agreed on
  std::uint64_t inode_ = 0;     // on rank 0; 0: it has not found the file
  bool has_tried_team_ = false;
  bool is_used_ = false;                            // in a way that is worth a report
  std::unique_ptr<engine::CollectiveFile> engine_;  // on all ranks or none
  std::array<std::int64_t, static_cast<std::size_t>(engine::Veto::count)> host_calls_{};
  std::optional<Split> split_;
};

}  // namespace headrace::preload
