#include "preload/host_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "mpi/errors.hpp"
#include "mpi/hints.hpp"
#include "mpi/real_mpi.hpp"
#include "mpi/type_contents.hpp"

namespace headrace::preload {
namespace {

using mpi::call_host;
using mpi::DatatypeHandle;
using mpi::real_mpi;

/// What is done when the file is opened first.
constexpr int once_only = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE;

bool is_native(std::string_view representation) {
  return representation == "native" || representation == "internal";
}

bool is_one_rank(MPI_Comm comm) {
  int size = 0;
  return MPI_Comm_size(comm, &size) == MPI_SUCCESS && size == 1;
}

/// Of what MPI cannot tell, one byte.
std::int64_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  const bool is_known = type != MPI_DATATYPE_NULL && MPI_Type_size_x(type, &size) == MPI_SUCCESS;
  return is_known && size > 0 ? std::int64_t{size} : 1;
}

/// What MPI_File_get_view gives: to be freed unless predefined.
DatatypeHandle as_given(MPI_Datatype type) {
  const Result<bool> predefined = mpi::is_predefined(type);
  return predefined.ok() && *predefined ? DatatypeHandle::borrowed(type)
                                        : DatatypeHandle::owned(type);
}

}  // namespace

HostFile::HostFile(FileState& state, std::string name) : state_(state), name_(std::move(name)) {}

int HostFile::open(MPI_Comm comm, int amode, MPI_Info info) {
  hints_ = mpi::hints_of_info(info);
  MPI_File handle = MPI_FILE_NULL;
  const int code = call_host(real_mpi().open, comm, name_.c_str(), amode, info, &handle);
  state_.handle = handle;
  if (code == MPI_SUCCESS) has_own_handle_ = is_one_rank(comm);
  return code;
}

int HostFile::open_own(int amode, MPI_Info info) {
  defer(info);
  return open_own_as(name_, amode);
}

/// With the view that files are opened with, which the handle need not be told of.
void HostFile::defer(MPI_Info info) {
  hints_ = mpi::hints_of_info(info);
  has_own_handle_ = true;
  program_view_ = std::make_unique<ProgramView>(ViewArguments(), *state_.view);
  state_.host_form = HostViewForm::deferred;
}

void HostFile::give_up_own() noexcept {
  close();
  has_own_handle_ = false;
  file_ = UniqueFd();
  program_view_.reset();
  state_.host_form = HostViewForm::plain;
}

int HostFile::open_own_as(const std::string& name, int amode) {
  std::vector<Hint> hints = hints_;
  std::erase_if(hints, [](const Hint& hint) { return hint.key == "cb_config_list"; });
  const mpi::InfoOf own(hints);
  MPI_File handle = MPI_FILE_NULL;
  const int code =
      call_host(real_mpi().open, MPI_COMM_SELF, name.c_str(), amode, own.get(), &handle);
  if (code == MPI_SUCCESS) state_.handle = handle;
  return code;
}

Result<MPI_File> HostFile::handle() noexcept {
  const std::scoped_lock lock(opening_);
  if (is_open()) return state_.handle.load();
  const Status opened = open_late();
  if (opened.ok()) return state_.handle.load();
  log_error("file {}: {}", name_, opened.message());
  return opened;
}

Status HostFile::open_late() {
  const int amode = state_.amode & ~once_only;
  return mpi::status_of_mpi(open_own_as(other_name().value_or(name_), amode), "MPI_File_open");
}

std::optional<std::string> HostFile::other_name() const {
  struct stat here {};
  struct stat named {};
  if (!file_ || ::fstat(file_.get(), &here) != 0) return std::nullopt;
  if (::stat(name_.c_str(), &named) == 0 && here.st_dev == named.st_dev &&
      here.st_ino == named.st_ino)
    return std::nullopt;
  return fmt::format("/proc/self/fd/{}", file_.get());
}

int HostFile::close() noexcept {
  MPI_File handle = state_.handle.exchange(MPI_FILE_NULL);
  return handle != MPI_FILE_NULL ? call_host(real_mpi().close, &handle) : MPI_SUCCESS;
}

int HostFile::set_view(const ViewArguments& arguments, std::optional<mpi::View> view,
                       MPI_Info info) {
  all_have_view_ = false;
  if (has_own_handle_) {
    const int code = set_info(info);
    return code == MPI_SUCCESS ? set_view_of_own(arguments, std::move(view)) : code;
  }
  // MPI_DISPLACEMENT_CURRENT belongs to MPI_MODE_SEQUENTIAL, of which the host knows best.
  HostViewForm form = HostViewForm::as_is;
  if ((state_.amode & MPI_MODE_SEQUENTIAL) == 0 &&
      wanted_form(arguments, view, state_.comm) != HostViewForm::as_is)
    form = HostViewForm::plain;
  const int code = set_host_view(host_view(arguments, view, form), arguments.representation, info);
  if (code == MPI_SUCCESS) keep_view(arguments, std::move(view), form);
  return code;
}

int HostFile::set_view_of_own(const ViewArguments& arguments, std::optional<mpi::View> view) {
  const HostViewForm form = wanted_form(arguments, view, state_.comm);
  if (form == HostViewForm::as_is) {
    const int code =
        set_host_view(host_view(arguments, view, form), arguments.representation, MPI_INFO_NULL);
    if (code != MPI_SUCCESS) return code;
  }
  keep_view(arguments, std::move(view), form);
  return MPI_SUCCESS;
}

int HostFile::set_host_view(const HostView& given, const char* representation, MPI_Info info) {
  const Result<MPI_File> host = handle();
  if (!host.ok()) return mpi::mpi_error_class(host.status().error_class());
  const int code = call_host(real_mpi().set_view, *host, given.displacement, given.etype.get(),
                             given.filetype.get(), representation, info);
  has_default_view_ =
      code == MPI_SUCCESS && is_default(given) && std::string_view(representation) == "native";
  return code;
}

void HostFile::keep_view(const ViewArguments& arguments, std::optional<mpi::View> view,
                         HostViewForm form) {
  // Programs move one view from call to call, and two copies of its datatypes are a third of it.
  const bool is_moved = program_view_ != nullptr && form != HostViewForm::as_is && state_.view &&
                        state_.view->filetype == view->filetype &&
                        program_view_->move_to(arguments);
  state_.view = std::move(view);
  state_.native = is_native(arguments.representation);
  state_.etype_size = state_.view ? state_.view->etype_size : size_of(arguments.etype);
  if (form == HostViewForm::as_is)
    program_view_.reset();
  else if (!is_moved)
    program_view_ = std::make_unique<ProgramView>(arguments, *state_.view);
  state_.host_form = form;
  state_.pointer = 0;
}

bool HostFile::give_cheap_view() noexcept {
  if (!lacks_view()) return true;
  return state_.view->filetype->layout.layout->block_count() <= most_blocks_at_once && give_view();
}

bool HostFile::give_view() noexcept {
  const std::scoped_lock lock(giving_);
  if (state_.host_form == HostViewForm::withheld) return false;
  if (state_.host_form != HostViewForm::deferred) return true;
  const Result<MPI_File> host = handle();
  if (!host.ok()) return false;
  int code = MPI_SUCCESS;
  // Libraries go back to the view that files are opened with after each access.
  if (!has_default_view_ || !is_default(*state_.view))
    code = set_host_view(program_view_->plain_for_host(*state_.view),
                         program_view_->representation(), MPI_INFO_NULL);
  if (code == MPI_SUCCESS)
    code = call_host(real_mpi().seek, *host, state_.pointer.load(), MPI_SEEK_SET);
  if (code == MPI_SUCCESS) {
    state_.host_form = HostViewForm::plain;
    return true;
  }
  log_error("file {}: the host MPI did not take the view: {}", name_,
            mpi::status_of_mpi(code, "MPI_File_set_view").message());
  return false;
}

int HostFile::set_info(MPI_Info info) noexcept {
  if (info == MPI_INFO_NULL && has_own_handle_) return MPI_SUCCESS;
  for (const Hint& hint : mpi::hints_of_info(info)) put(hints_, hint);
  return is_open() ? call_host(real_mpi().set_info, state_.handle.load(), info) : MPI_SUCCESS;
}

Result<std::vector<Hint>> HostFile::hosts_hints() const {
  MPI_Info info = MPI_INFO_NULL;
  const int code = call_host(real_mpi().get_info, state_.handle.load(), &info);
  if (code != MPI_SUCCESS) return mpi::status_of_mpi(code, "MPI_File_get_info");
  std::vector<Hint> hints = mpi::hints_of_info(info);
  MPI_Info_free(&info);
  if (has_own_handle_)
    std::erase_if(hints, [](const Hint& hint) {
      return hint.key == "cb_nodes" || hint.key == "romio_aggregator_list";
    });
  return hints;
}

int HostFile::get_size(MPI_Offset* size) noexcept {
  struct stat file {};
  if (!is_open() && ::fstat(file_.get(), &file) == 0 && S_ISREG(file.st_mode)) {
    *size = file.st_size;
    return MPI_SUCCESS;
  }
  const Result<MPI_File> host = handle();
  return host.ok() ? call_host(real_mpi().get_size, *host, size)
                   : mpi::mpi_error_class(host.status().error_class());
}

int HostFile::sync() noexcept {
  return is_open() ? call_host(real_mpi().sync, state_.handle.load()) : MPI_SUCCESS;
}

int HostFile::set_atomicity(int flag) noexcept {
  const Result<MPI_File> host = handle();
  if (!host.ok()) return mpi::mpi_error_class(host.status().error_class());
  int code = call_host(real_mpi().set_atomicity, *host, flag);
  if (code == MPI_SUCCESS && of_all_ != MPI_FILE_NULL)
    code = raised(call_host(real_mpi().set_atomicity, of_all_, flag));
  if (code == MPI_SUCCESS) state_.atomic = flag != 0;
  return code;
}

Result<std::optional<MPI_File>> HostFile::of_all_ranks(const Minima& minima) noexcept {
  using Handle = std::optional<MPI_File>;
  if (!has_own_handle_) return Handle(state_.handle.load());
  if (is_one_rank(state_.comm)) return give_view() ? Handle(state_.handle.load()) : Handle();
  // One rank whose view is for the host to judge leaves the views of all to it.
  std::array<std::int64_t, 1> form{static_cast<std::int64_t>(state_.host_form.load())};
  if (!minima(form) || form[0] == static_cast<std::int64_t>(HostViewForm::withheld))
    return Handle();
  const bool is_of_all = can_open_of_all(minima);
  Status mine;
  if (is_of_all)
    mine = bring_up_to_date();
  else if (!give_view())
    mine = {ErrorClass::io, "the host MPI did not take the view"};
  std::array<std::int64_t, 1> all{mine.ok() ? 1 : 0};
  if (!minima(all) || all[0] == 0)
    return mine.ok() ? Status(ErrorClass::io, "the host MPI failed on another rank") : mine;
  return Handle(is_of_all ? of_all_ : state_.handle.load());
}

/// The same on all ranks.
bool HostFile::can_open_of_all(const Minima& minima) {
  if (std::exchange(has_tried_of_all_, true)) return of_all_ != MPI_FILE_NULL;
  // With a handle of its own a rank has loaded what it takes; for one that cannot, Open MPI's other
  // ranks would wait for ever.
  Status mine = handle().status();
  std::array<std::int64_t, 1> can_begin{mine.ok() ? 1 : 0};
  if (minima(can_begin) && can_begin[0] == 1) mine.update(open_of_all());
  std::array<std::int64_t, 1> all{mine.ok() && of_all_ != MPI_FILE_NULL ? 1 : 0};
  if (minima(all) && all[0] == 1) return true;
  of_all_ = MPI_FILE_NULL;
  int rank = 0;
  if (MPI_Comm_rank(state_.comm, &rank) == MPI_SUCCESS && rank == 0)
    log_warning(
        "file {}: the host MPI cannot open it for all ranks, so that in calls left to the host "
        "each rank makes its own part: {}",
        name_, mine.ok() ? "another rank failed" : mine.message());
  return false;
}

/// By name, so that it fails if the program has renamed the file.
Status HostFile::open_of_all() {
  const mpi::InfoOf info(hints_);
  int code = call_host(real_mpi().open, state_.comm, name_.c_str(), state_.amode & ~once_only,
                       info.get(), &of_all_);
  if (code != MPI_SUCCESS) return mpi::status_of_mpi(code, "MPI_File_open");
  all_have_view_ = false;
  // Errors are raised by the program's handle, which has its error handler.
  code = call_host(real_mpi().set_errhandler, of_all_, MPI_ERRORS_RETURN);
  if (code == MPI_SUCCESS && state_.atomic) code = call_host(real_mpi().set_atomicity, of_all_, 1);
  return mpi::status_of_mpi(code, "opening the file for all ranks");
}

Status HostFile::bring_up_to_date() {
  if (const int code = all_have_view_ ? MPI_SUCCESS : give_view_to_all(); code != MPI_SUCCESS)
    return mpi::status_of_mpi(code, "MPI_File_set_view");
  all_have_view_ = true;
  const Result<MPI_Offset> at = position(state_);
  if (!at.ok()) return at.status();
  return mpi::status_of_mpi(call_host(real_mpi().seek, of_all_, *at, MPI_SEEK_SET),
                            "MPI_File_seek");
}

int HostFile::give_view_to_all() {
  const auto give = [&](const HostView& view, const char* representation) {
    return call_host(real_mpi().set_view, of_all_, view.displacement, view.etype.get(),
                     view.filetype.get(), representation, MPI_INFO_NULL);
  };
  if (program_view_ != nullptr)
    return give(program_view_->plain_for_host(*state_.view), program_view_->representation());
  HostView view;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  char representation[MPI_MAX_DATAREP_STRING + 1] = {};
  const int code = call_host(real_mpi().get_view, state_.handle.load(), &view.displacement, &etype,
                             &filetype, static_cast<char*>(representation));
  if (code != MPI_SUCCESS) return code;
  view.etype = as_given(etype);
  view.filetype = as_given(filetype);
  return give(view, static_cast<const char*>(representation));
}

int HostFile::has_called(MPI_File handle, int code) noexcept {
  if (of_all_ == MPI_FILE_NULL || handle != of_all_) return code;
  follow_pointer();
  return raised(code);
}

void HostFile::follow_pointer() noexcept {
  MPI_Offset at = 0;
  if (call_host(real_mpi().get_position, of_all_, &at) != MPI_SUCCESS ||
      !set_position(state_, at).ok())
    log_error("file {}: the individual file pointer is lost", name_);
}

/// Of a call by the handle of all ranks, which has no error handler of the program's.
int HostFile::raised(int code) const noexcept {
  // A handle that is not open has the error handler that files begin with.
  if (code == MPI_SUCCESS || !is_open()) return code;
  // Not by call_host: a handler is the program's own code, and what it calls is taken over again.
  const int called = real_mpi().call_errhandler(state_.handle.load(), code);
  return called == MPI_SUCCESS ? code : called;
}

Status HostFile::close_of_all() noexcept {
  if (of_all_ == MPI_FILE_NULL) return {};
  return mpi::status_of_mpi(call_host(real_mpi().close, &of_all_), "MPI_File_close");
}

}  // namespace headrace::preload
