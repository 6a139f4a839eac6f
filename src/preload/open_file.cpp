#include "preload/open_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "mpi/collectives.hpp"
#include "mpi/errors.hpp"
#include "mpi/handles.hpp"
#include "mpi/real_mpi.hpp"
#include "preload/file_path.hpp"
#include "report/file_report.hpp"
#include "storage/posix/posix_storage.hpp"

namespace headrace::preload {
namespace {

using engine::Outcome;
using engine::Veto;

int size_of(MPI_Comm comm) {
  int size = 0;
  return MPI_Comm_size(comm, &size) == MPI_SUCCESS ? size : 0;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  return MPI_Comm_rank(comm, &rank) == MPI_SUCCESS ? rank : 0;
}

std::uint64_t inode_of(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 ? facts.st_ino : 0;
}

/// Nothing when the etype or the filetype cannot be decoded.
std::optional<mpi::View> view_of(const ViewArguments& arguments) noexcept {
  const Result<mpi::DatatypePtr> unit = mpi::decode(arguments.etype);
  const Result<mpi::DatatypePtr> tile = mpi::decode(arguments.filetype);
  if (!unit.ok() || !tile.ok() || (*unit)->size == 0) return std::nullopt;
  return mpi::View{arguments.displacement, (*unit)->size, *tile};
}

/// Whether the program has made nonblocking collectives.
std::atomic<bool> prefers_host_of_all_ranks = false;
/// Whether it has changed the error handler that files begin with.
std::atomic<bool> has_changed_first_handler = false;

constexpr std::int64_t most_token = std::numeric_limits<std::int64_t>::max();

/// Other than that of any other file that is open: of a process, and a moment in it. Positive.
std::int64_t new_token() {
  static std::atomic<std::uint64_t> count = 0;
  const auto now =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  const auto process = static_cast<std::uint64_t>(getpid());
  return static_cast<std::int64_t>(((now << 8U) ^ (process << 40U) ^ ++count) >> 1U);
}

/// Not chosen (yet). Programs open other files with the hints they were shown, and zero is none
/// that a host could be given: OMPIO divides by cb_nodes.
bool is_unchosen(const Hint& hint) {
  return hint.value == "0";
}

/// Of `shown`, by the host, those that are not Headrace's options.
std::vector<Hint> hints_of_host_alone(std::vector<Hint> shown) {
  std::erase_if(shown, [](const Hint& hint) {
    return std::ranges::find(option_table(), hint.key, &OptionRow::name) != option_table().end();
  });
  return shown;
}

Outcome left_to_host(Veto veto) {
  Outcome outcome;
  outcome.host = veto;
  return outcome;
}

}  // namespace

OpenFile::OpenFile(transport::TeamLease lease, const std::string& name, int amode)
    : lease_(std::move(lease)),
      rank_(rank_in(lease_.comm())),
      ranks_(size_of(lease_.comm())),
      name_(name),
      path_(file_system_path(name)),
      state_{.comm = lease_.comm(), .amode = amode},
      host_(state_, name),
      independent_calls_(state_, host_, path_),
      hints_(path_) {}

Result<int> OpenFile::open(MPI_Comm comm, MPI_Info info) noexcept {
  hints_.add(info);
  if (ranks_ > 1) {
    const Result<bool> opened = opened_by_each_rank(info);
    if (!opened.ok()) return opened.status();
    if (*opened) return MPI_SUCCESS;
  }
  const int code = host_.open(comm, state_.amode, info);
  handle_ = state_.handle;
  if (code != MPI_SUCCESS) return code;
  if (has_prefix(name_)) {
    // It may be a part of the name: that shows when the file is there.
    path_ = file_system_path(name_);
    hints_ = FileHints(path_);
    hints_.add(info);
  }
  if (rank_ == 0) inode_ = inode_of(path_);
  if (host_.has_own_handle()) begin_shared_pointer(new_token());
  tell_complaints();
  return MPI_SUCCESS;
}

/// Rank 0 first, by the host: it may have to make the file, or has just put another in its place,
/// of which only the name is the same. What is in its way is left to the host, which has all ranks
/// open the file together, and makes its own error of it; and so is the file where other ranks find
/// another by its name. That they cannot open it is not: Open MPI waits for ever for a rank that
/// has no descriptor for what it loads.
Result<bool> OpenFile::opened_by_each_rank(MPI_Info info) {
  if (!make_team()) return false;
  const bool is_possible = may_be_opened_by_each_rank();
  const bool is_open = is_possible && rank_ == 0 && open_first(info);
  if (rank_ == 0) inode_ = inode_of(path_);
  make_engine();
  enum { possible, mode, other_mode, rank_0_has, returns_errors, token };
  std::array<std::int64_t, 6> least{is_possible,
                                    state_.amode,
                                    -state_.amode,
                                    is_open || rank_ != 0,
                                    !has_changed_first_handler,
                                    rank_ == 0 ? new_token() : most_token};
  const bool rank_0_can = minima(least) && least[possible] == 1 && least[rank_0_has] == 1 &&
                          least[mode] == -least[other_mode];
  if (!rank_0_can) {
    undo_opening(is_open);
    return false;
  }
  if (rank_ != 0) host_.defer(info);
  const Status mine = begin_alone();
  const Status all = agreed(mine);
  if (all.ok()) {
    handle_ = mpi::handle_of(*this);
    begin_shared_pointer(least[token]);
    tell_complaints();
    return true;
  }
  undo_opening(is_open);
  if (all.error_class() == ErrorClass::bad_file || least[returns_errors] == 0) return false;
  if (!mine.ok()) log_error("rank {}: {}", rank_, mine.message());
  return all;
}

/// Whoever opens the file next is to find everything as it was.
void OpenFile::undo_opening(bool is_open) {
  if (rank_ == 0 && is_open && (state_.amode & MPI_MODE_EXCL) != 0) ::unlink(path_.c_str());
  host_.give_up_own();
  engine_.reset();
}

/// On rank 0, which makes the file, if it is to be made; and deletes it.
bool OpenFile::open_first(MPI_Info info) {
  return host_.open_own(state_.amode & ~MPI_MODE_DELETE_ON_CLOSE, info) == MPI_SUCCESS;
}

/// Each rank holds the file, and sees so that it can reach it; unless it is not to need it: of
/// thousands of ranks each would be work for one server of metadata.
Status OpenFile::begin_alone() {
  Status status;
  if (!engine_->options().no_indep_rw) {
    Result<storage::PosixFile> file =
        storage::open_posix_file(path_, storage_access(state_.amode), engine_->facts().inode);
    if (!file.ok()) return file.status();
    host_.hold(std::move((*file).descriptor));
  }
  if (has_changed_first_handler) status.update(host_.handle().status());
  if ((state_.amode & MPI_MODE_APPEND) != 0) {
    const Result<MPI_Offset> at = end();
    if (at.ok()) state_.pointer = *at;
    status.update(at.status());
  }
  return status;
}

Result<MPI_Offset> OpenFile::end() noexcept {
  MPI_Offset bytes = 0;
  const int code = host_.get_size(&bytes);
  if (code != MPI_SUCCESS) return mpi::status_of_mpi(code, "MPI_File_get_size");
  return independent_calls_.end(bytes);
}

bool OpenFile::may_be_opened_by_each_rank() const {
  return !is_sequential() && !has_prefix(name_) && !prefers_host_of_all_ranks;
}

void OpenFile::begin_shared_pointer(std::int64_t token) {
  const Result<MPI_Offset> begin = position();
  shared_pointer_.emplace(path_, token, begin.ok() ? *begin : 0);
}

void OpenFile::prefer_host_of_all_ranks() noexcept {
  if constexpr (mpi::host_makes_nonblocking_collectives) prefers_host_of_all_ranks = true;
}

void OpenFile::change_first_handler() noexcept {
  has_changed_first_handler = true;
}

int OpenFile::set_view(const ViewArguments& arguments, MPI_Info info) noexcept {
  is_used_ = true;
  if (!host_.has_own_handle()) wait_for_others();
  const int code = host_.set_view(arguments, view_of(arguments), info);
  if (code == MPI_SUCCESS) add_hints(info);
  if (shared_pointer_) shared_pointer_->begin_view();
  pass();
  return code;
}

int OpenFile::set_atomicity(int flag) noexcept {
  if (!host_.has_own_handle()) wait_for_others();
  const int code = host_.set_atomicity(flag);
  pass();
  return code;
}

/// The hosts' ranks meet in calls in which they need not by the standard, and programs may have
/// come to count on it: what one did before is done before what another does afterwards.
void OpenFile::pass() noexcept {
  if (engine_ != nullptr && host_.has_own_handle()) engine_->pass();
}

Result<std::optional<MPI_File>> OpenFile::host_of_all_ranks() noexcept {
  wait_for_others();
  return host_.of_all_ranks([this](std::span<std::int64_t> values) { return minima(values); });
}

void OpenFile::add_hints(MPI_Info info) noexcept {
  if (info == MPI_INFO_NULL) return;
  hints_.add(info);
  has_new_hints_ = true;
  if (engine_ != nullptr) engine_->set_options(hints_.options());
  tell_complaints();
}

/// Where the host has not opened the file, its hints are those that it showed rank 0 at first, with
/// what the program has given since.
Result<std::vector<Hint>> OpenFile::shown_hints() const {
  Result<std::vector<Hint>> shown = std::vector<Hint>();
  if (host_.is_open()) {
    shown = host_.hosts_hints();
    if (!shown.ok()) return shown;
  } else {
    *shown = engine_->facts().host_hints;
    for (const Hint& given : host_.hints())
      if (std::ranges::find(*shown, given.key, &Hint::key) != (*shown).end()) put(*shown, given);
  }
  for (const Hint& hint : effective_hints(options()))
    if (!is_unchosen(hint)) put(*shown, hint);
  return shown;
}

Options OpenFile::options() const {
  return engine_ != nullptr && !has_new_hints_ ? engine_->options() : hints_.options();
}

/// In the memory of the node, where ranks share it; else by MPI.
bool OpenFile::minima(std::span<std::int64_t> values) noexcept {
  if (engine_ == nullptr) return mpi::minima(values, lease_.comm()).ok();
  engine_->minima(values);
  return true;
}

Status OpenFile::agreed(const Status& mine) noexcept {
  std::array<std::int64_t, 1> worst{-static_cast<std::int64_t>(mine.error_class())};
  if (!minima(worst)) worst[0] = -static_cast<std::int64_t>(ErrorClass::other);
  const auto agreed = static_cast<ErrorClass>(-worst[0]);
  if (agreed == mine.error_class()) return mine;
  return {agreed, fmt::format("file {}: failed on another rank", path_)};
}

Outcome OpenFile::transfer(const Request& request) noexcept {
  if (Status denied = access_denied(state_, request.direction); !denied.ok() && !is_sequential())
    return {Veto::none, std::move(denied), 0};
  Outcome outcome = ready() ? asked_engine(request) : left_to_host(Veto::no_team);
  ++host_calls_[static_cast<std::size_t>(outcome.host)];
  return outcome;
}

Outcome OpenFile::transfer_alone(const Request& request) noexcept {
  if (engine_ != nullptr) return independent_calls_.transfer(request, engine_->facts());
  engine::FileFacts own;
  own.inode = inode_;
  own.options = hints_.options();
  return independent_calls_.transfer(request, own);
}

Outcome OpenFile::asked_engine(const Request& request) {
  const ReadiedCall readied = ready_call(state_, request);
  Outcome outcome = request.direction == Direction::write ? engine_->write_all(readied.call)
                                                          : engine_->read_all(readied.call);
  has_new_hints_ = false;
  if (outcome.host == Veto::none && outcome.status.ok())
    outcome.status = move_pointer(state_, readied);
  return outcome;
}

bool OpenFile::ready() noexcept {
  is_used_ = true;
  if (engine_ == nullptr && make_team()) make_engine();
  return engine_ != nullptr;
}

/// Whether there is one; on all ranks or none.
bool OpenFile::make_team() {
  if (std::exchange(has_tried_team_, true)) return lease_.team() != nullptr;
  const Status made = lease_.make_team();
  if (!made.ok() && rank_ == 0)
    log_warning("file {}: left to the host MPI: {}", path_, made.message());
  return made.ok();
}

void OpenFile::make_engine() {
  engine::FileFacts facts;
  facts.inode = inode_;
  facts.veto = inode_ == 0 ? Veto::no_storage : Veto::none;
  facts.reports = report::reports_wanted();
  facts.options = hints_.options();
  if (rank_ == 0 && host_.is_open())
    if (auto shown = host_.hosts_hints(); shown.ok())
      facts.host_hints = hints_of_host_alone(std::move(*shown));
  engine_ = std::make_unique<engine::CollectiveFile>(
      *lease_.team(), storage::open_posix, path_, storage_access(state_.amode), std::move(facts));
}

void OpenFile::tell_refusal(std::string_view call, Veto why) {
  if (told_refusal_.exchange(true)) return;
  log_error(
      "file {}: {} ({}): the filetype of the view has over {} blocks, which the host MPI is "
      "not given, and without the host only calls with valid arguments, in nonatomic mode, can "
      "be served; use those, or a view of fewer blocks",
      path_, call, engine::veto_name(why), most_blocks_for_host);
}

void OpenFile::wait_for_others() noexcept {
  if (engine_ == nullptr) return;
  engine_->wait_for_others();
  engine_->wait_for_passing();
}

Status OpenFile::settle() noexcept {
  return engine_ != nullptr ? engine_->settle() : Status();
}

Status OpenFile::sync(int code) noexcept {
  if (engine_ == nullptr) return {};
  Status mine = mpi::status_of_mpi(code, "MPI_File_sync");
  mine.update(engine_->sync());
  mine.update(independent_calls_.sync());
  return agreed(mine);
}

Status OpenFile::close() noexcept {
  Status late = settle();
  report();
  // A team may go only when no rank uses it any more.
  if (engine_ != nullptr) engine_->meet();
  late.update(host_.close_of_all());
  late.update(delete_if_asked());
  if (shared_pointer_) shared_pointer_->remove();
  engine_.reset();
  lease_ = transport::TeamLease();
  return late;
}

/// Where handles are the ranks' own, which were opened without that.
Status OpenFile::delete_if_asked() {
  if (!host_.has_own_handle() || ranks_ == 1 || (state_.amode & MPI_MODE_DELETE_ON_CLOSE) == 0)
    return {};
  Status mine;
  if (rank_ == 0 && ::unlink(path_.c_str()) != 0 && errno != ENOENT)
    mine = Status::from_errno(errno, "deleting " + path_);
  return agreed(mine);
}

void OpenFile::report() {
  if (!is_used_ || !(engine_ != nullptr ? engine_->facts().reports : report::reports_wanted()))
    return;
  report::FileReport file;
  file.path = path_;
  file.mpi = HEADRACE_MPI_NAME;
  file.ranks = ranks_;
  if (engine_ != nullptr) {
    file.nodes = lease_.team()->nodes.node_count();
    file.totals = engine_->total_counters();
    file.timers = engine_->total_timers();
  }
  add_host_calls(file);
  if (rank_ == 0) report::write_report(file);
}

void OpenFile::add_host_calls(report::FileReport& file) const {
  std::int64_t& total = file.totals[report::Counter::host_calls];
  total = 0;
  for (std::size_t i = 1; i < host_calls_.size(); ++i) {
    if (host_calls_[i] == 0) continue;
    // Ranks agree on each veto, so every rank has counted the same.
    const std::int64_t calls = host_calls_[i] * file.ranks;
    file.host_calls.push_back({engine::veto_name(static_cast<Veto>(i)), calls});
    total += calls;
  }
}

void OpenFile::tell_complaints() {
  const std::vector<std::string> complaints = hints_.take_complaints();
  if (rank_ != 0) return;
  for (const std::string& text : complaints) log_warning("{}", text);
}

}  // namespace headrace::preload
