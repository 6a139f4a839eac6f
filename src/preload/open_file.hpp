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

#include "engine/collective_file.hpp"
#include "preload/file_hints.hpp"
#include "preload/file_state.hpp"
#include "preload/host_view.hpp"
#include "preload/independent_calls.hpp"
#include "report/report.hpp"
#include "transport/mpi/team_lease.hpp"

namespace headrace::preload {

/// Made after the host has opened the file. Until the first view or collective data call, of a
/// single rank until such a call, it costs a communicator; team, shared memory and storage come
/// with that. Used by one thread at a time, as MPI demands of collective calls on one file.
class OpenFile {
 public:
  /// `lease` is of the file's communicator, and not empty. `name` as MPI_File_open
  /// got it. Local.
  OpenFile(MPI_File handle, transport::TeamLease lease, const std::string& name, int amode,
           MPI_Info info);

  /// As MPI_File_set_view, the host being given what it can take of the view. Collective.
  int set_view(const ViewArguments& arguments, MPI_Info info) noexcept;
  /// The view as the program set it, where the host was given another; else null.
  const ProgramView* program_view() const noexcept { return program_view_.get(); }
  /// The host has not been given the view, on any rank, and cannot make calls that depend on it.
  bool host_lacks_view() const noexcept { return lacks_view(state_.host_form); }
  /// As independent_calls.hpp has them. Local; thread-safe.
  const IndependentCalls& independent_calls() const noexcept { return independent_calls_; }
  engine::Outcome transfer_alone(const Request& request) noexcept;
  /// Gives the host the view, if that was deferred; its file pointer stays where it is. Collective.
  /// False: the host does not have the view, on any rank.
  bool host_has_view() noexcept;
  /// The program makes calls for which the host should have views from now on. Local; thread-safe.
  void defer_no_more_views() noexcept;
  /// The host's shared file pointer may have been moved by this rank. Local; thread-safe.
  void shared_pointer_moves() noexcept { moved_shared_pointer_ = true; }

  /// The individual file pointer, in etypes, as FileState has it.
  Result<MPI_Offset> position() const noexcept { return preload::position(state_); }
  /// `offset` >= 0.
  Status set_position(MPI_Offset offset) noexcept { return preload::set_position(state_, offset); }

  /// What the host has accepted. Collective in the program, local here.
  void set_info(MPI_Info info) noexcept;
  void set_atomic(bool atomic) noexcept { state_.atomic = atomic; }

  /// The options in effect: this rank's where ranks are still to agree on rank 0's.
  Options options() const;

  /// Collective. On success the individual file pointer has moved, if the request is at it.
  engine::Outcome transfer(const Request& request) noexcept;

  /// Says in the log, the first time only, that `call` cannot be made because the view is withheld.
  void tell_refusal(std::string_view call, engine::Veto why);

  /// Before the host looks at the file or changes it: waits until all ranks have done a call that
  /// this one came back from early. Local.
  void wait_for_others() noexcept;

  /// What a call that returned early has still to tell, once. Collective; the same class on every
  /// rank.
  Status settle() noexcept;
  /// Collective; the same class on every rank. Not without settle() before.
  Status sync() noexcept;

  /// Settles, reports, and frees what ranks share. Collective; nothing else may follow.
  Status close() noexcept;

  /// The split collective under way, if any: begun by transfer(), not yet ended.
  struct Split {
    std::string_view end;  ///< the name of the function that must end it
    /// None: the host has begun it, and must end it.
    std::optional<engine::Outcome> outcome;
  };
  std::optional<Split>& split() noexcept { return split_; }

 private:
  engine::Outcome asked_engine(const Request& request);
  bool ready() noexcept;
  Status minima(std::span<std::int64_t> values);
  void set_up();
  bool is_sequential() const { return (state_.amode & MPI_MODE_SEQUENTIAL) != 0; }
  struct AgreedForm {
    HostViewForm form;
    bool host_may_keep;  ///< the view that it has; the same on all ranks
  };
  AgreedForm agreed_form(const ViewArguments& arguments, const std::optional<mpi::View>& view,
                         bool has_hints);
  int set_host_view(const HostView& given, const char* representation, MPI_Info info);
  void keep_view(const ViewArguments& arguments, std::optional<mpi::View> view, HostViewForm form);
  void tell_complaints();
  void report();
  void add_host_calls(report::FileReport& file) const;

  transport::TeamLease lease_;
  int rank_ = 0;
  std::string path_;
  FileState state_;
  std::unique_ptr<ProgramView> program_view_;
  IndependentCalls independent_calls_;
  bool host_has_default_view_ = true;  // the same on all ranks, but for failures of the host
  std::atomic<bool> defers_views_ = true;
  std::atomic<bool> moved_shared_pointer_ = false;
  std::atomic<bool> told_refusal_ = false;
  FileHints hints_;
  bool hints_may_differ_ = false;  // the same on all ranks: rank 0 may have others than agreed on
  std::uint64_t inode_ = 0;        // on rank 0; 0: it has not found the file
  bool is_set_up_ = false;
  bool serves_;  // Headrace serves this file's collective calls, as far as can be known
  std::unique_ptr<engine::CollectiveFile> engine_;  // on all ranks or none; none before set_up()
  std::array<std::int64_t, static_cast<std::size_t>(engine::Veto::count)> host_calls_{};
  std::optional<Split> split_;
};

}  // namespace headrace::preload
