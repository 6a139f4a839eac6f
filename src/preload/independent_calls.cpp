#include "preload/independent_calls.hpp"

#include <new>
#include <utility>

#include "base/log.hpp"
#include "storage/posix/posix_storage.hpp"

namespace headrace::preload {

using engine::Outcome;
using engine::Veto;

IndependentCalls::IndependentCalls(FileState& state, const HostFile& host, const std::string& path)
    : state_(state), host_(host), path_(path) {}

Outcome IndependentCalls::transfer(const Request& request,
                                   const engine::FileFacts& facts) noexcept {
  Outcome outcome;
  outcome.status = access_denied(state_, request.direction);
  if (!outcome.status.ok()) return outcome;
  const std::scoped_lock lock(turn_);
  try {
    const ReadiedCall readied = ready_call(state_, request);
    outcome.host = readied.call.veto;
    if (outcome.host == Veto::none) outcome = served(readied, request.direction, facts);
  } catch (const std::bad_alloc&) {
    outcome.status = {ErrorClass::no_memory, "no memory for an independent call"};
  }
  if (!outcome.status.ok()) log_error("file {}: {}", path_, outcome.status.message());
  return outcome;
}

Outcome IndependentCalls::served(const ReadiedCall& readied, Direction direction,
                                 const engine::FileFacts& facts) {
  Outcome outcome;
  const engine::Call& call = readied.call;
  if (!call.file.monotone()) return {Veto::view_not_monotone, {}, 0};
  outcome.status = open(facts.inode);
  if (!outcome.status.ok() && !lacks_view(state_.host_form)) return {Veto::no_storage, {}, 0};
  if (!outcome.status.ok()) return outcome;
  report::Measures uncounted;  // the report is about collective calls
  engine::IndependentIo io(*storage_, uncounted, facts.options, packing_);
  has_written_ |= direction == Direction::write;
  const Result<std::int64_t> moved = direction == Direction::write ? io.write(call) : io.read(call);
  outcome.status = moved.ok() ? move_pointer(state_, readied) : moved.status();
  if (moved.ok()) outcome.bytes = *moved;
  return outcome;
}

Status IndependentCalls::open(std::uint64_t inode) {
  if (storage_) return {};
  Result<std::unique_ptr<storage::Storage>> opened =
      storage::open_posix(host_.other_name().value_or(path_), storage_access(state_.amode), inode);
  if (!opened.ok()) return opened.status();
  storage_ = std::move(*opened);
  return {};
}

Result<MPI_Offset> IndependentCalls::byte_offset(MPI_Offset offset) const noexcept {
  if (offset < 0) return Status(ErrorClass::other, "a negative offset");
  const Result<plan::Pattern> etype = mpi::file_pattern(*state_.view, offset, 1);
  if (!etype.ok()) return etype.status();
  return MPI_Offset{(*etype).offset_of(0)};
}

MPI_Offset IndependentCalls::end(MPI_Offset bytes) const noexcept {
  const std::int64_t unit = state_.view->etype_size;
  return (mpi::bytes_below(*state_.view, bytes) + unit - 1) / unit;
}

Status IndependentCalls::sync() noexcept {
  const std::scoped_lock lock(turn_);
  return std::exchange(has_written_, false) ? storage_->sync() : Status();
}

}  // namespace headrace::preload
