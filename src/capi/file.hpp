// The file behind a headrace_file: the engine, and what it takes to do without it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/direction.hpp"
#include "base/options.hpp"
#include "capi/agreement.hpp"
#include "engine/collective_file.hpp"
#include "engine/independent.hpp"
#include "plan/request_list.hpp"
#include "report/report.hpp"
#include "storage/storage.hpp"
#include "transport/mpi/team_lease.hpp"

namespace headrace::capi {

/// What a rank asks for in one call.
struct Transfer {
  Direction direction;
  plan::RequestList file;
  plan::RequestList memory;
  std::byte* buffer;  ///< not written to if direction is write
};

class File {
 public:
  /// Collective over `comm`; on failure every rank has the same error class and no file.
  static Verdict open(MPI_Comm comm, const char* path, int amode, MPI_Info info,
                      std::unique_ptr<File>& file);
  /// Collective; reports. What is left to do with the object is to destroy it.
  Verdict close();

  /// Collective. `bytes` is this rank's; 0 after a failure.
  Verdict transfer_all(const Transfer& transfer, std::int64_t& bytes);
  /// Local.
  Verdict transfer_alone(const Transfer& transfer, std::int64_t& bytes);

  Verdict sync();                              ///< collective
  Verdict set_size(std::int64_t size);         ///< collective
  Verdict get_size(std::int64_t& size) const;  ///< local
  /// Collective. The text lives until the next report.
  Verdict report(const char*& json);

  /// Keeps the message of a failure for error_message(); the error class is handed through.
  int remember(Verdict verdict);
  const char* error_message() const noexcept { return message_.c_str(); }

 private:
  File() = default;

  Verdict duplicate(MPI_Comm comm);
  Verdict set_mode(int amode);
  Verdict establish_by_rank_0(int amode, MPI_Info info);
  void start_engine();

  Verdict settle();
  /// What is wrong with a transfer; `call` is filled in if nothing is.
  Verdict prepare(const Transfer& transfer, engine::Call& call) const;
  Verdict check_access(Direction direction) const;
  engine::Outcome call_engine(Direction direction, const engine::Call& call);
  Verdict move_independently(Direction direction, const engine::Call& call, std::int64_t& bytes);
  Verdict open_own_storage();
  report::Counters total_counters();
  report::FileReport file_report();

  transport::TeamLease lease_;
  int rank_ = 0;
  int ranks_ = 0;
  std::string path_;
  storage::Access access_ = storage::Access::read_write;
  bool delete_on_close_ = false;
  engine::FileFacts facts_;
  // Refers to the lease's team. Null on all ranks if one has no team.
  std::unique_ptr<engine::CollectiveFile> engine_;
  std::unique_ptr<storage::Storage> own_storage_;  // opened by the first independent access
  engine::IndependentIo::Packing packing_;
  std::int64_t calls_without_engine_ = 0;
  std::string report_;
  std::string message_;
};

}  // namespace headrace::capi
