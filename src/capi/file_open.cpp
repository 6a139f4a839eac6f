// Opening: arguments, hints and the file itself are settled by rank 0, then the ranks team up.
#include <span>

#include "base/log.hpp"
#include "capi/file.hpp"
#include "capi/named_file.hpp"
#include "mpi/broadcast.hpp"
#include "mpi/collectives.hpp"
#include "mpi/hints.hpp"
#include "report/file_report.hpp"
#include "storage/posix/posix_storage.hpp"

namespace headrace::capi {
namespace {

Verdict check_amode(int amode) {
  const int access = amode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);
  if (access != MPI_MODE_RDONLY && access != MPI_MODE_WRONLY && access != MPI_MODE_RDWR)
    return {MPI_ERR_AMODE, "amode: exactly one of RDONLY, WRONLY and RDWR is needed"};
  if (access == MPI_MODE_RDONLY && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0)
    return {MPI_ERR_AMODE, "amode: RDONLY goes with neither CREATE nor EXCL"};
  if ((amode & (MPI_MODE_APPEND | MPI_MODE_SEQUENTIAL)) != 0)
    return {MPI_ERR_AMODE, "amode: APPEND and SEQUENTIAL need file pointers; there are none here"};
  return {};
}

storage::Access access_of(int amode) {
  if ((amode & MPI_MODE_RDONLY) != 0) return storage::Access::read_only;
  return (amode & MPI_MODE_WRONLY) != 0 ? storage::Access::write_only : storage::Access::read_write;
}

Creation creation_of(int amode) {
  if ((amode & MPI_MODE_CREATE) == 0) return Creation::never;
  return (amode & MPI_MODE_EXCL) != 0 ? Creation::exclusive : Creation::if_missing;
}

Verdict check_path(const char* path) {
  if (path != nullptr && *path != '\0') return {};
  return {MPI_ERR_BAD_FILE, "the path is NULL or empty"};
}

/// Keys and values, each ended by a null character.
std::string packed(const std::vector<Hint>& hints) {
  std::string text;
  for (const Hint& hint : hints) (text += hint.key + '\0') += hint.value + '\0';
  return text;
}

std::vector<Hint> unpacked(const std::string& text) {
  std::vector<Hint> hints;
  for (std::size_t at = 0; at < text.size();) {
    Hint hint{&text[at], {}};
    at += hint.key.size() + 1;
    hint.value = &text[at];
    at += hint.value.size() + 1;
    hints.push_back(std::move(hint));
  }
  return hints;
}

}  // namespace

Verdict File::open(MPI_Comm comm, const char* path, int amode, MPI_Info info,
                   std::unique_ptr<File>& file) {
  std::unique_ptr<File> made(new File);
  Verdict verdict = made->duplicate(comm);
  if (!verdict.ok()) return verdict;
  verdict = agree(made->lease_.comm(), check_path(path));
  if (!verdict.ok()) return verdict;
  made->path_ = path;
  verdict = made->set_mode(amode);
  if (verdict.ok()) verdict = made->take_hints(info);
  if (verdict.ok()) verdict = made->establish_by_rank_0(amode);
  if (verdict.ok()) made->start_engine();
  if (verdict.ok()) file = std::move(made);
  return verdict;
}

/// A communicator of our own: its messages meet no others, and its errors come back to us.
Verdict File::duplicate(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return {MPI_ERR_COMM, "the communicator is MPI_COMM_NULL"};
  int between_groups = 0;
  int code = MPI_Comm_test_inter(comm, &between_groups);
  if (code != MPI_SUCCESS) return verdict_of_mpi(code, "MPI_Comm_test_inter");
  if (between_groups) return {MPI_ERR_COMM, "the communicator is an intercommunicator"};
  lease_ = transport::TeamLease(comm);
  if (lease_.comm() == MPI_COMM_NULL) return {MPI_ERR_OTHER, "MPI has no communicator left"};
  code = MPI_Comm_rank(lease_.comm(), &rank_);
  if (code == MPI_SUCCESS) code = MPI_Comm_size(lease_.comm(), &ranks_);
  return verdict_of_mpi(code, "duplicating the communicator");
}

Verdict File::set_mode(int amode) {
  Verdict verdict = agree_on_value(lease_.comm(), amode, "amode");
  if (verdict.ok()) verdict = check_amode(amode);
  access_ = access_of(amode);
  delete_on_close_ = (amode & MPI_MODE_DELETE_ON_CLOSE) != 0;
  return verdict;
}

/// Hints decide who sends what to whom, so that they must not differ between ranks.
Verdict File::take_hints(MPI_Info info) {
  const bool speaks = rank_ == 0;
  mpi::GivenHints given;
  if (speaks) given = mpi::hints_for_file(info, path_);
  for (const std::string& complaint : given.complaints) log_warning("{}: {}", path_, complaint);
  std::string text = packed(given.hints);
  Verdict verdict = verdict_of(mpi::broadcast(lease_.comm(), text));
  for (const Hint& hint : unpacked(text))
    if (const auto complaint = apply_hint(options_, hint); complaint && speaks)
      log_warning("{}: {}", path_, *complaint);
  return verdict;
}

/// One rank asks the file system, however many there are: metadata servers are slow.
Verdict File::establish_by_rank_0(int amode) {
  Verdict mine;
  if (rank_ == 0) {
    mine = establish(path_, creation_of(amode), access_, facts_.inode);
    facts_.reports = report::reports_wanted();
  }
  Verdict verdict = agree(lease_.comm(), mine);
  if (!verdict.ok()) return verdict;
  return verdict_of(
      mpi::broadcast_bytes(std::as_writable_bytes(std::span(&facts_, 1)), lease_.comm()));
}

/// Without a team, which all ranks have or none, there is no engine; that is no failure.
void File::start_engine() {
  if (!lease_.make_team().ok()) return;
  engine_ = std::make_unique<engine::CollectiveFile>(*lease_.team(), storage::open_posix, path_,
                                                     access_, facts_.inode, options_);
}

}  // namespace headrace::capi
