// The host MPI's handles of one file on one rank, and the views that they have.
//
// Where Headrace serves the file's collective calls, the host's handle is this rank's alone: then
// opening, closing and setting views take none of the host's collective steps, of which there are
// about ten. It is opened when a call needs it, and most ranks have none that does: what the host
// does for it (a component to load, a file to look at) would be most of what opening takes. A
// collective call that is the host's after all is made with another handle, which all ranks open
// together when the first such call comes.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/status.hpp"
#include "base/unique_fd.hpp"
#include "preload/file_state.hpp"
#include "preload/host_view.hpp"

namespace headrace::preload {

/// Every call is local but where it says otherwise. Thread-safe as independent calls must be.
class HostFile {
 public:
  /// `state` must outlive the object. `name` as MPI_File_open got it.
  HostFile(FileState& state, std::string name);

  /// As MPI_File_open, of the file's name. The handle is this rank's own if `comm` is of one rank.
  /// Collective over `comm`.
  int open(MPI_Comm comm, int amode, MPI_Info info);
  /// Opens a handle of this rank's own at once, without hints that mean others: ROMIO refuses to
  /// open a file where none of its ranks may be an aggregator.
  int open_own(int amode, MPI_Info info);
  /// The handle is to be this rank's own, opened when it is needed.
  void defer(MPI_Info info);
  /// The file, so that it is found even where it has its name no more.
  void hold(UniqueFd file) noexcept { file_ = std::move(file); }
  /// By which the file can be opened if it has its name no more, and is held.
  std::optional<std::string> other_name() const;
  /// A handle of its own is of no use after all.
  void give_up_own() noexcept;
  bool has_own_handle() const noexcept { return has_own_handle_; }
  bool is_open() const noexcept { return state_.handle != MPI_FILE_NULL; }
  bool is(MPI_File handle) const noexcept { return state_.handle == handle; }
  /// The handle, which is opened now if it has not been. Of a failure the log tells as well.
  Result<MPI_File> handle() noexcept;
  /// As MPI_File_close, if it is open.
  int close() noexcept;

  /// As MPI_File_set_view; an own handle is told when it needs the view. Collective, if the handle
  /// is of all ranks. `view`: the arguments, decoded if they could be.
  int set_view(const ViewArguments& arguments, std::optional<mpi::View> view, MPI_Info info);
  /// The view as the program set it, where the host was given another; else null.
  const ProgramView* program_view() const noexcept { return program_view_.get(); }
  /// The handle has not been given the view, and cannot make calls that depend on it.
  bool lacks_view() const noexcept { return preload::lacks_view(state_.host_form); }
  /// Gives the handle the view unless it must not have it; the file pointer stays where it is.
  /// Whether the handle has the view now.
  bool give_view() noexcept;
  /// The same, but only a view of few blocks.
  bool give_cheap_view() noexcept;

  int set_info(MPI_Info info) noexcept;
  /// As MPI_File_get_info, of a handle that is open; but nothing of aggregators where it is this
  /// rank's own, which would be this rank.
  Result<std::vector<Hint>> hosts_hints() const;
  /// The hints that the program has given.
  const std::vector<Hint>& hints() const noexcept { return hints_; }
  int get_size(MPI_Offset* size) noexcept;
  int sync() noexcept;
  /// Collective.
  int set_atomicity(int flag) noexcept;

  /// The smallest of all ranks' values, in place, collective; false: ranks could not agree.
  using Minima = std::function<bool(std::span<std::int64_t>)>;
  /// The handle by which all ranks can make one collective call of the host's: with the program's
  /// view and file pointer. It is the program's own where the host cannot open another, as that of
  /// a file without a name; each rank then makes its own part. None: some rank's view must not be
  /// given to the host. After the call, has_called(). Collective; the same on all ranks.
  Result<std::optional<MPI_File>> of_all_ranks(const Minima& minima) noexcept;
  /// A call by `handle`, of of_all_ranks(), came to `code`: follows its file pointer, and calls the
  /// error handler of the program's handle if the host has not. Returns the code.
  int has_called(MPI_File handle, int code) noexcept;
  /// Collective.
  Status close_of_all() noexcept;

 private:
  int open_own_as(const std::string& name, int amode);
  Status open_late();
  int set_view_of_own(const ViewArguments& arguments, std::optional<mpi::View> view);
  int set_host_view(const HostView& given, const char* representation, MPI_Info info);
  void keep_view(const ViewArguments& arguments, std::optional<mpi::View> view, HostViewForm form);
  int raised(int code) const noexcept;
  void follow_pointer() noexcept;
  bool can_open_of_all(const Minima& minima);
  Status open_of_all();
  Status bring_up_to_date();
  int give_view_to_all();

  FileState& state_;
  std::string name_;
  std::vector<Hint> hints_;
  bool has_own_handle_ = false;
  UniqueFd file_;  // or none: it is found by its name alone
  std::mutex opening_;
  std::mutex giving_;
  std::unique_ptr<ProgramView> program_view_;
  bool has_default_view_ = true;  // the host's handle
  MPI_File of_all_ = MPI_FILE_NULL;
  bool has_tried_of_all_ = false;
  bool all_have_view_ = false;  // the handle of_all_
};

}  // namespace headrace::preload
