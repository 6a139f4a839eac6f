#include "capi/file.hpp"

#include <new>

#include "capi/named_file.hpp"
#include "report/file_report.hpp"
#include "storage/posix/posix_storage.hpp"

namespace headrace::capi {
namespace {

Verdict bad_argument(std::string message) {
  return {MPI_ERR_ARG, std::move(message)};
}

/// What is wrong with both lists of a transfer; `bytes` is their total if nothing is.
Verdict check_lists(const Transfer& transfer, std::int64_t& bytes) {
  const plan::ListCheck file = plan::check_list(transfer.file, plan::ListSide::file);
  if (!file.complaint.empty()) return bad_argument(file.complaint);
  const plan::ListCheck memory = plan::check_list(transfer.memory, plan::ListSide::memory);
  if (!memory.complaint.empty()) return bad_argument(memory.complaint);
  if (file.bytes != memory.bytes)
    return bad_argument("the file list has " + std::to_string(file.bytes) +
                        " bytes, the memory list " + std::to_string(memory.bytes));
  bytes = file.bytes;
  return {};
}

}  // namespace

Verdict File::close() {
  const Verdict late = settle();
  if (facts_.reports) {
    const report::FileReport told = file_report();
    if (rank_ == 0) report::write_report(told);
  }
  engine_.reset();
  own_storage_.reset();
  // Once all are here, no rank is in a call of the team any more, and none has the file open.
  Verdict verdict = agree(lease_.comm(), late);
  if (!delete_on_close_) return verdict;
  Verdict removed;
  if (rank_ == 0) removed = remove(path_);
  removed = agree(lease_.comm(), removed);
  return verdict.ok() ? removed : verdict;
}

/// What a call that returned early has still to tell. The same class on all ranks.
Verdict File::settle() {
  return engine_ ? verdict_of(engine_->settle()) : Verdict();
}

Verdict File::transfer_all(const Transfer& transfer, std::int64_t& bytes) {
  bytes = 0;
  engine::Call call;
  const Verdict mine = prepare(transfer, call);
  if (!mine.ok()) call.veto = engine::Veto::invalid_arguments;
  const engine::Outcome outcome = call_engine(transfer.direction, call);
  if (outcome.host == engine::Veto::none) {
    if (outcome.status.ok()) bytes = outcome.bytes;
    return verdict_of(outcome.status);
  }
  Verdict verdict = agree(lease_.comm(), mine);
  if (!verdict.ok()) return verdict;
  verdict = agree(lease_.comm(), move_independently(transfer.direction, call, bytes));
  if (!verdict.ok()) bytes = 0;
  return verdict;
}

Verdict File::transfer_alone(const Transfer& transfer, std::int64_t& bytes) {
  bytes = 0;
  engine::Call call;
  Verdict verdict = prepare(transfer, call);
  if (verdict.ok()) verdict = move_independently(transfer.direction, call, bytes);
  return verdict;
}

Verdict File::prepare(const Transfer& transfer, engine::Call& call) const try {
  Verdict verdict = check_access(transfer.direction);
  std::int64_t bytes = 0;
  if (verdict.ok()) verdict = check_lists(transfer, bytes);
  if (!verdict.ok()) return verdict;
  if (bytes > 0 && transfer.buffer == nullptr)
    return {MPI_ERR_BUFFER,
            "the buffer is NULL, the lists have " + std::to_string(bytes) + " bytes"};
  plan::Pattern file = plan::pattern_of_list(transfer.file);
  call.memory = plan::pattern_of_list(transfer.memory);
  call.file = std::move(file);
  call.buffer = transfer.buffer;
  return {};
} catch (const std::bad_alloc&) {
  return {MPI_ERR_NO_MEM, "no memory for the lists"};
}

Verdict File::check_access(Direction direction) const {
  if (direction == Direction::write && access_ == storage::Access::read_only)
    return {MPI_ERR_READ_ONLY, "the file was opened for reading only"};
  if (direction == Direction::read && access_ == storage::Access::write_only)
    return {MPI_ERR_ACCESS, "the file was opened for writing only"};
  return {};
}

engine::Outcome File::call_engine(Direction direction, const engine::Call& call) {
  if (!engine_) {
    ++calls_without_engine_;
    return {.host = engine::Veto::no_team, .status = {}, .bytes = 0};
  }
  return direction == Direction::write ? engine_->write_all(call) : engine_->read_all(call);
}

Verdict File::move_independently(Direction direction, const engine::Call& call,
                                 std::int64_t& bytes) try {
  if (call.file.empty()) return {};
  if (engine_) engine_->wait_for_others();
  Verdict verdict = open_own_storage();
  if (!verdict.ok()) return verdict;
  report::Measures uncounted;  // the report is about collective calls
  engine::IndependentIo io(*own_storage_, uncounted, facts_.options, packing_);
  const Result<std::int64_t> moved = direction == Direction::write ? io.write(call) : io.read(call);
  if (moved.ok()) bytes = *moved;
  return verdict_of(moved.status());
} catch (const std::bad_alloc&) {
  return {MPI_ERR_NO_MEM, "no memory to pack the data"};
}

Verdict File::open_own_storage() {
  if (own_storage_) return {};
  auto opened = storage::open_posix(path_, access_, facts_.inode);
  if (opened.ok()) own_storage_ = std::move(*opened);
  return verdict_of(opened.status());
}

Verdict File::sync() {
  if (Verdict late = settle(); !late.ok()) return late;
  Status status;
  if (engine_) status = engine_->sync();
  if (own_storage_) status.update(own_storage_->sync());
  return agree(lease_.comm(), verdict_of(status));
}

Verdict File::set_size(std::int64_t size) {
  // Also waits for the ranks that are still in an access before.
  if (engine_) engine_->wait_for_others();
  Verdict verdict = agree_on_value(lease_.comm(), size, "the size");
  if (verdict.ok()) verdict = check_access(Direction::write);
  if (verdict.ok() && size < 0) verdict = bad_argument("the size is negative");
  if (!verdict.ok()) return verdict;
  if (rank_ == 0) verdict = resize(path_, facts_.inode, size);
  return agree(lease_.comm(), verdict);
}

Verdict File::get_size(std::int64_t& size) const {
  if (engine_) engine_->wait_for_others();
  return size_of(path_, facts_.inode, size);
}

report::Counters File::total_counters() {
  if (engine_) return engine_->total_counters();
  report::Counters counters;
  std::int64_t calls = calls_without_engine_;
  if (MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_INT64_T, MPI_SUM, lease_.comm()) == MPI_SUCCESS)
    counters[report::Counter::host_calls] = calls;
  return counters;
}

report::FileReport File::file_report() {
  report::FileReport file;
  file.path = path_;
  file.ranks = ranks_;
  file.nodes = lease_.team() != nullptr ? lease_.team()->nodes.node_count() : 0;
  file.mpi = HEADRACE_MPI_NAME;
  file.totals = total_counters();
  if (engine_) file.timers = engine_->total_timers();
  return file;
}

Verdict File::report(const char*& json) {
  report_ = report::json_line(file_report());
  json = report_.c_str();
  return {};
}

int File::remember(Verdict verdict) {
  if (!verdict.ok()) message_ = std::move(verdict.message);
  return verdict.error_class;
}

}  // namespace headrace::capi
