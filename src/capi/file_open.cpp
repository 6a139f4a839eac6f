// Opening: arguments, hints and the file itself are settled by rank 0, then the ranks team up.
#include "base/log.hpp"
#include "capi/file.hpp"
#include "capi/named_file.hpp"
#include "mpi/broadcast.hpp"
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

/// Complains of what it cannot take.
Options options_given(MPI_Info info, const std::string& path) {
  const mpi::GivenHints given = mpi::hints_for_file(info, path);
  for (const std::string& complaint : given.complaints) log_warning("{}: {}", path, complaint);
  Options options;
  for (const Hint& hint : given.hints)
    if (const auto complaint = apply_hint(options, hint)) log_warning("{}: {}", path, *complaint);
  return options;
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
  if (verdict.ok()) verdict = made->establish_by_rank_0(amode, info);
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

/// One rank asks the file system, however many there are: metadata servers are slow. Hints, too,
/// are rank 0's: they decide who sends what to whom, so that they must not differ between ranks.
Verdict File::establish_by_rank_0(int amode, MPI_Info info) {
  Verdict mine;
  if (rank_ == 0) {
    mine = establish(path_, creation_of(amode), access_, facts_.inode);
    facts_.reports = report::reports_wanted();
    facts_.options = options_given(info, path_);
  }
  Verdict verdict = agree(lease_.comm(), mine);
  if (!verdict.ok()) return verdict;
  std::string text = rank_ == 0 ? encoded(facts_) : std::string();
  verdict = verdict_of(mpi::broadcast(lease_.comm(), text));
  if (verdict.ok()) facts_ = engine::decoded_facts(text);
  return verdict;
}

/// Without a team, which all ranks have or none, there is no engine; that is no failure.
void File::start_engine() {
  if (!lease_.make_team().ok()) return;
  engine_ = std::make_unique<engine::CollectiveFile>(*lease_.team(), storage::open_posix, path_,
                                                     access_, facts_);
}

}  // namespace headrace::capi
