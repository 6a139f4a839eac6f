#include "preload/open_file.hpp"

#include <sys/stat.h>

#include <new>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "mpi/collectives.hpp"
#include "mpi/errors.hpp"
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

bool is_native(std::string_view representation) {
  return representation == "native" || representation == "internal";
}

/// Whether the program has made collective data calls only, but for views that the host had anyway.
std::atomic<bool> is_all_collective = true;

Outcome left_to_host(Veto veto) {
  Outcome outcome;
  outcome.host = veto;
  return outcome;
}

}  // namespace

OpenFile::OpenFile(MPI_File handle, transport::TeamLease lease, const std::string& name, int amode,
                   MPI_Info info)
    : lease_(std::move(lease)),
      rank_(rank_in(lease_.comm())),
      path_(file_system_path(name)),
      state_{.handle = handle, .comm = lease_.comm(), .amode = amode},
      independent_calls_(state_, path_),
      hints_(path_),
      inode_(rank_ == 0 ? inode_of(path_) : 0),
      serves_(lease_.team() != nullptr && is_all_collective) {
  hints_.add(info);
  tell_complaints();
}

int OpenFile::set_view(const ViewArguments& arguments, MPI_Info info) noexcept {
  wait_for_others();
  std::optional<mpi::View> view = view_of(arguments);
  hints_.add(info);
  tell_complaints();
  // One rank alone has nothing to agree on, and a file of its own must not be opened twice for it.
  if (!is_set_up_ && !is_sequential() && size_of(lease_.comm()) > 1) set_up();
  const AgreedForm agreed = agreed_form(arguments, view, info != MPI_INFO_NULL);
  int code = MPI_SUCCESS;
  if (!agreed.host_may_keep)
    code = lacks_view(agreed.form) ? set_host_view(default_host_view(), "native", info)
                                   : set_host_view(host_view(arguments, view, agreed.form),
                                                   arguments.representation, info);
  else if (!lacks_view(agreed.form))
    code = mpi::call_host(mpi::real_mpi().seek, state_.handle, 0, MPI_SEEK_SET);
  if (code != MPI_SUCCESS) return code;
  keep_view(arguments, std::move(view), agreed.form);
  return MPI_SUCCESS;
}

int OpenFile::set_host_view(const HostView& given, const char* representation, MPI_Info info) {
  const int code = mpi::call_host(mpi::real_mpi().set_view, state_.handle, given.displacement,
                                  given.etype.get(), given.filetype.get(), representation, info);
  host_has_default_view_ =
      code == MPI_SUCCESS && is_default(given) && std::string_view(representation) == "native";
  if (code == MPI_SUCCESS) moved_shared_pointer_ = false;
  return code;
}

/// Ranks whose views the host is not given need the engine on all ranks; so one that cannot have it
/// leaves the view of all to the host. A view that is the same on all ranks is not deferred: it
/// alone can be used with the shared file pointer, which is the host's. One of few blocks is
/// deferred where Headrace serves the file's collective calls, as far as can be known: then the
/// host needs no view at all, mostly, and to give it one is collective again. The host keeps what
/// view it has while it lacks the program's, and the default one, to which libraries go back after
/// each access, if it has it already; but it must see new hints, and a shared file pointer that has
/// moved must go back. Rank 0 tells, too, whether its hints are new: mostly they are not, and need
/// not be sent to all again.
OpenFile::AgreedForm OpenFile::agreed_form(const ViewArguments& arguments,
                                           const std::optional<mpi::View>& view, bool has_hints) {
  if (is_sequential()) return {HostViewForm::as_is, false};
  const HostViewForm wanted = wanted_form(arguments, view, lease_.comm());
  const std::int64_t sum = view ? summary(*view) : 0;
  const bool has_already =
      host_has_default_view_ && !moved_shared_pointer_ && view && is_default(*view);
  enum { form, same_hints, least_sum, other_sum, defers, defers_few, no_hints, same_host_view };
  std::array<std::int64_t, 8> least{};
  least[form] = static_cast<std::int64_t>(wanted);
  least[same_hints] =
      rank_ != 0 || engine_ == nullptr || hints_.options() == engine_->facts().options;
  least[least_sum] = sum;
  least[other_sum] = -sum;
  least[defers] = defers_views_ && !state_.atomic;
  least[defers_few] = serves_;
  least[no_hints] = !has_hints;
  least[same_host_view] = has_already;
  const bool is_agreed = minima(least).ok();
  hints_may_differ_ = hints_may_differ_ || !is_agreed || least[same_hints] == 0;
  if (!is_agreed) return {HostViewForm::as_is, false};
  auto agreed = static_cast<HostViewForm>(least[form]);
  if (agreed == HostViewForm::plain && least[defers_few] == 1) agreed = HostViewForm::deferred;
  const bool same_view = least[least_sum] == -least[other_sum];
  const bool is_deferred = agreed == HostViewForm::deferred && !same_view && least[defers] == 1;
  if (agreed == HostViewForm::withheld || is_deferred) {
    if (ready() && engine_->facts().veto == Veto::none) {
      serves_ = true;
      return {agreed, least[no_hints] == 1};
    }
    if (agreed == HostViewForm::withheld) return {HostViewForm::as_is, false};
  }
  const bool is_plain = wanted == HostViewForm::deferred || wanted == HostViewForm::plain;
  const bool may_keep =
      agreed != HostViewForm::as_is && least[no_hints] == 1 && least[same_host_view] == 1;
  return {is_plain ? HostViewForm::plain : HostViewForm::as_is, may_keep};
}

void OpenFile::keep_view(const ViewArguments& arguments, std::optional<mpi::View> view,
                         HostViewForm form) {
  // MPI_DISPLACEMENT_CURRENT belongs to MPI_MODE_SEQUENTIAL, which is the host's anyway.
  state_.view = std::move(view);
  state_.native = is_native(arguments.representation);
  program_view_ = form == HostViewForm::as_is
                      ? nullptr
                      : std::make_unique<ProgramView>(arguments, *state_.view);
  state_.host_form = form;
  state_.pointer = 0;
}

void OpenFile::defer_no_more_views() noexcept {
  defers_views_ = false;
  is_all_collective = false;
}

bool OpenFile::host_has_view() noexcept {
  if (state_.host_form == HostViewForm::withheld) return false;
  if (state_.host_form != HostViewForm::deferred) return true;
  wait_for_others();
  defer_no_more_views();
  const int code = set_host_view(program_view_->plain_for_host(*state_.view),
                                 program_view_->representation(), MPI_INFO_NULL);
  Status given = mpi::status_of_mpi(code, "MPI_File_set_view");
  if (given.ok()) {
    state_.host_form = HostViewForm::plain;
    given = set_position(state_.pointer);
  }
  if (!given.ok()) {
    state_.host_form = HostViewForm::deferred;
    log_error("file {}: the host MPI did not take the view: {}", path_, given.message());
    return false;
  }
  return true;
}

void OpenFile::set_info(MPI_Info info) noexcept {
  hints_.add(info);
  hints_may_differ_ = true;
  tell_complaints();
}

Options OpenFile::options() const {
  return engine_ != nullptr && !hints_may_differ_ ? engine_->options() : hints_.options();
}

/// In the memory of the node, where ranks share it already; else by MPI.
Status OpenFile::minima(std::span<std::int64_t> values) {
  if (engine_ == nullptr) return mpi::minima(values, lease_.comm());
  engine_->minima(values);
  return {};
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
  serves_ = serves_ || outcome.host == Veto::none;
  if (outcome.host == Veto::none && outcome.status.ok())
    outcome.status = move_pointer(state_, readied);
  return outcome;
}

bool OpenFile::ready() noexcept {
  if (!is_set_up_) set_up();
  if (engine_ != nullptr && std::exchange(hints_may_differ_, false))
    engine_->set_options(hints_.options());
  return engine_ != nullptr;
}

void OpenFile::set_up() {
  is_set_up_ = true;
  if (const Status status = lease_.make_team(); !status.ok()) {
    if (rank_ == 0) log_warning("file {}: left to the host MPI: {}", path_, status.message());
    return;
  }
  engine::FileFacts facts;
  facts.inode = inode_;
  facts.veto = inode_ == 0 ? Veto::no_storage : Veto::none;
  facts.reports = report::reports_wanted();
  facts.options = hints_.options();
  engine_ = std::make_unique<engine::CollectiveFile>(
      *lease_.team(), storage::open_posix, path_, storage_access(state_.amode), std::move(facts));
}

void OpenFile::tell_refusal(std::string_view call, Veto why) {
  if (told_refusal_.exchange(true)) return;
  if (state_.host_form == HostViewForm::deferred)
    log_error(
        "file {}: {} ({}): the shared file pointer needs the same view on all ranks, and "
        "these have different ones; other calls need valid arguments",
        path_, call, engine::veto_name(why));
  else
    log_error(
        "file {}: {} ({}): the filetype of the view has over {} blocks, which the host MPI is "
        "not given, and without the host only calls with valid arguments, in nonatomic mode "
        "and not with the shared file pointer, can be served; use those, or a view of fewer "
        "blocks",
        path_, call, engine::veto_name(why), most_blocks_for_host);
}

void OpenFile::wait_for_others() noexcept {
  if (engine_ != nullptr) engine_->wait_for_others();
}

Status OpenFile::settle() noexcept {
  return engine_ != nullptr ? engine_->settle() : Status();
}

Status OpenFile::sync() noexcept {
  if (engine_ == nullptr) return {};
  Status status = engine_->sync();
  std::array<std::int64_t, 1> all_could{status.ok() ? 1 : 0};
  engine_->minima(all_could);
  if (all_could[0] == 1 || !status.ok()) return status;
  return {ErrorClass::io, "another rank could not flush the file"};
}

Status OpenFile::close() noexcept {
  Status late = settle();
  report();
  // A team may go only when no rank uses it any more.
  if (engine_ != nullptr) engine_->meet();
  engine_.reset();
  lease_ = transport::TeamLease();
  return late;
}

void OpenFile::report() {
  if (!is_set_up_ || !(engine_ != nullptr ? engine_->facts().reports : report::reports_wanted()))
    return;
  report::FileReport file;
  file.path = path_;
  file.mpi = HEADRACE_MPI_NAME;
  file.ranks = size_of(lease_.comm());
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
