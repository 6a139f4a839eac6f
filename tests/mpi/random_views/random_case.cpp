#include "random_case.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace headrace::test {

char now_running[512];

namespace {

constexpr std::uint64_t common_stream = 0;
constexpr std::size_t guard = 32;  ///< bytes around a buffer that nobody may touch

Random common_random(const Settings& settings, std::int64_t number) {
  return Random{settings.seed, static_cast<std::uint64_t>(number), common_stream};
}

/// Where a type map's lowest byte is, and how many bytes a buffer for it needs.
std::int64_t lowest(const TypeMap& map) {
  return map.empty() ? 0 : *std::min_element(map.begin(), map.end());
}
std::size_t width(const TypeMap& map) {
  if (map.empty()) return 0;
  return static_cast<std::size_t>(*std::max_element(map.begin(), map.end()) - lowest(map) + 1);
}

/// What stands in a rank's buffer at an offset before the call.
unsigned char content(std::int64_t number, int step, int rank, std::int64_t offset) {
  const auto key =
      static_cast<std::uint64_t>(number * 64 + step) * 64 + static_cast<std::uint64_t>(rank);
  return static_cast<unsigned char>(mix(key) + mix(static_cast<std::uint64_t>(offset)) % 251);
}

std::size_t index_in_buffer(const Access& access, std::int64_t offset) {
  return guard + static_cast<std::size_t>(offset - lowest(access.memory));
}

Bytes make_buffer(const Access& access, std::int64_t number, int step, int rank) {
  Bytes buffer(width(access.memory) + 2 * guard);
  const std::int64_t first = lowest(access.memory) - static_cast<std::int64_t>(guard);
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    buffer[i] = content(number, step, rank, first + static_cast<std::int64_t>(i));
  }
  return buffer;
}

MPI_Info random_info(Random& random, const Settings& settings, int ranks) {
  MPI_Info info = MPI_INFO_NULL;
  require(MPI_Info_create(&info), "MPI_Info_create");
  const auto set = [info](const char* key, const std::string& value) {
    require(MPI_Info_set(info, key, value.c_str()), "MPI_Info_set");
  };
  const std::string method =
      settings.method.empty() ? random.pick({"two_phase", "tam", "auto"}) : settings.method;
  set("headrace_method", method);
  if (random.chance(85)) set("cb_buffer_size", std::to_string(64LL << random.between(0, 6)));
  if (random.chance(50)) set("cb_nodes", std::to_string(random.between(1, ranks)));
  if (random.chance(50)) {
    set("headrace_local_aggregators", std::to_string(random.between(1, ranks)));
  }
  if (random.chance(50)) set("cb_config_list", "*:*");
  if (random.chance(60)) set("headrace_file_domains", random.pick({"local", "even"}));
  if (random.chance(60)) {
    set("headrace_schedule", random.pick({"offset", "mdf", "lw_mdf", "gw_mdf", "best"}));
  }
  if (random.chance(40)) set("headrace_early_return", "true");
  if (random.chance(30)) set("romio_cb_write", "enable");
  if (random.chance(30)) set("romio_cb_read", "enable");
  return info;
}

}  // namespace

int ranks_of_case(const Settings& settings, std::int64_t number, int world_size) {
  return static_cast<int>(common_random(settings, number).between(1, world_size));
}

RandomCase::RandomCase(const Settings& settings, const Group& group, int world_size,
                       std::int64_t number)
    : settings_(settings),
      group_(group),
      world_size_(world_size),
      number_(number),
      random_(common_random(settings, number)) {
  random_.next();  // the number of ranks came from it
  const int kind = static_cast<int>(random_.between(0, 9));
  may_read_ = !settings.only_write && kind != 0;
  may_write_ = !settings.only_read && (kind != 1 || !may_read_);
  if (!may_read_ && !may_write_) may_read_ = true;
  const auto seed = settings.seed;
  const auto case_key = static_cast<std::uint64_t>(number);
  for (int rank = 0; rank < group.size; ++rank) {
    if (is_root() || rank == group.rank) participants_.emplace_back(seed, case_key, rank);
  }
}

int RandomCase::run() {
  const int steps = static_cast<int>(random_.between(1, 7));
  prepare_file();
  open();
  for (step_ = 0; step_ < steps; ++step_) step();
  finish();
  return mismatches_;
}

void RandomCase::prepare_file() {
  announce("prepare the file");
  const std::int64_t size = random_.chance(25) ? 0 : random_.between(1, 6000);
  Bytes bytes(static_cast<std::size_t>(size));
  for (auto& byte : bytes) byte = static_cast<unsigned char>(random_.next());
  if (is_root()) write_whole_file(group_.path, bytes);
  model_.adopt(std::move(bytes));
  group_.wait();
}

void RandomCase::open() {
  announce("MPI_File_open");
  int mode = MPI_MODE_RDWR;
  if (!may_read_) mode = MPI_MODE_WRONLY;
  if (!may_write_) mode = MPI_MODE_RDONLY;
  MPI_Info info = random_info(random_, settings_, group_.size);
  require(MPI_File_open(group_.comm, group_.path.c_str(), mode, info, &file_), "MPI_File_open");
  require(MPI_Info_free(&info), "MPI_Info_free");
}

void RandomCase::step() {
  if (step_ == 0 || random_.chance(50)) set_view();
  const CallForm form = random_form(random_, may_write_, may_read_);
  for (Participant& participant : participants_) {
    participant.choose_access(form.write, form.explicit_offset);
  }
  announce(name_of(form));
  if (self().seek()) require(MPI_File_seek(file_, *self().seek(), MPI_SEEK_SET), "MPI_File_seek");
  if (form.write) {
    write(form);
  } else {
    read(form);
  }
  check_position();
}

void RandomCase::set_view() {
  announce("MPI_File_set_view");
  const Random etype_random{random_.next()};
  for (Participant& participant : participants_) {
    participant.choose_view(random_etype(etype_random));
  }
  const View& view = self().view();
  const int code = MPI_File_set_view(file_, view.displacement, view.etype.get(),
                                     view.filetype.get(), "native", MPI_INFO_NULL);
  if (code != MPI_SUCCESS) mismatch("the legal view was refused");
}

MPI_Status RandomCase::call(const CallForm& form, Bytes& buffer) {
  const Access& access = self().access();
  unsigned char* address = buffer.data() + guard - lowest(access.memory);
  MPI_Status status;
  const int code =
      make_call(form, file_, access.offset, address, access.count, access.type.get(), &status);
  if (code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    mismatch(std::string("the call failed: ") + text);
  }
  return status;
}

void RandomCase::write(const CallForm& form) {
  const Access& access = self().access();
  Bytes buffer = make_buffer(access, number_, step_, group_.rank);
  const Bytes before = buffer;
  group_.wait();  // nobody may still be reading
  const MPI_Status status = call(form, buffer);
  if (buffer != before) mismatch("the buffer of a write was changed");
  wait_for_the_file();
  check_count(status, static_cast<std::int64_t>(access.memory.size()));
  for (int rank = 0; is_root() && rank < group_.size; ++rank) {
    const Access& part = participants_[static_cast<std::size_t>(rank)].access();
    for (std::size_t i = 0; i < part.file.size(); ++i) {
      model_.place(part.file[i], content(number_, step_, rank, part.memory[i]));
    }
  }
  group_.wait();
  check_file("after the call");
}

void RandomCase::read(const CallForm& form) {
  const Access& access = self().access();
  Bytes buffer = make_buffer(access, number_, step_, group_.rank);
  const Bytes before = buffer;
  const MPI_Status status = call(form, buffer);
  check_read(before, buffer);
  const std::int64_t bytes = bytes_before_end(access);
  const bool short_read = bytes < static_cast<std::int64_t>(access.file.size());
  if (!short_read || !settings_.lenient) check_count(status, bytes);
}

void RandomCase::finish() {
  announce("MPI_File_close");
  require(MPI_File_close(&file_), "MPI_File_close");
  group_.wait();
  check_file("after MPI_File_close");
  group_.wait();
  if (is_root()) unlink(group_.path.c_str());
}

/// With headrace_early_return others may still write, until the file is asked for what depends on
/// it.
void RandomCase::wait_for_the_file() {
  MPI_Offset size = 0;
  if (random_.chance(50)) {
    require(MPI_File_get_size(file_, &size), "MPI_File_get_size");
  } else {
    require(MPI_File_sync(file_), "MPI_File_sync");
  }
}

/// Rank 0 compares; from then on every rank goes by what the file really holds.
void RandomCase::check_file(const char* when) {
  Bytes actual = read_whole_file(group_.path);
  if (is_root()) {
    if (const auto difference = model_.differs(actual)) mismatch(*difference + ", " + when);
  }
  model_.adopt(std::move(actual));
}

/// A view's offsets ascend, so the bytes at hand are the first ones.
std::int64_t RandomCase::bytes_before_end(const Access& access) const {
  const auto end = static_cast<std::int64_t>(model_.bytes().size());
  return std::lower_bound(access.file.begin(), access.file.end(), end) - access.file.begin();
}

void RandomCase::check_read(const Bytes& before, const Bytes& after) {
  const Access& access = self().access();
  Bytes expected = before;
  const std::int64_t bytes = bytes_before_end(access);
  for (std::size_t i = 0; i < access.file.size(); ++i) {
    const std::size_t at = index_in_buffer(access, access.memory[i]);
    if (static_cast<std::int64_t>(i) < bytes) {
      expected[at] = model_.bytes()[static_cast<std::size_t>(access.file[i])];
    } else if (after[at] == 0) {
      expected[at] = 0;  // past the end of the file: untouched, or as a hole reads
    }
  }
  const auto [want, got] = std::mismatch(expected.begin(), expected.end(), after.begin());
  if (want == expected.end()) return;
  const auto at = want - expected.begin() - static_cast<std::ptrdiff_t>(guard);
  mismatch("the buffer at offset " + std::to_string(at + lowest(access.memory)) + ": expected " +
           std::to_string(*want) + ", got " + std::to_string(*got));
}

void RandomCase::check_count(const MPI_Status& status, std::int64_t bytes) {
  const Access& access = self().access();
  MPI_Count elements = -1;
  require(MPI_Get_elements_x(&status, MPI_BYTE, &elements), "MPI_Get_elements_x");
  if (elements != bytes) {
    mismatch("the status: expected " + std::to_string(bytes) + " bytes, got " +
             std::to_string(elements));
  }
  const std::int64_t size = access.type.size();
  if (size == 0 || bytes % size != 0) return;
  int count = -1;
  require(MPI_Get_count(&status, access.type.get(), &count), "MPI_Get_count");
  if (count != bytes / size) {
    mismatch("MPI_Get_count: expected " + std::to_string(bytes / size) + ", got " +
             std::to_string(count));
  }
}

void RandomCase::check_position() {
  MPI_Offset position = -1;
  require(MPI_File_get_position(file_, &position), "MPI_File_get_position");
  if (position == self().pointer()) return;
  const Access& access = self().access();
  if (settings_.lenient &&
      bytes_before_end(access) < static_cast<std::int64_t>(access.file.size())) {
    require(MPI_File_seek(file_, self().pointer(), MPI_SEEK_SET), "MPI_File_seek");
    return;
  }
  mismatch("the file pointer: expected " + std::to_string(self().pointer()) + ", got " +
           std::to_string(position));
}

void RandomCase::announce(const std::string& activity) {
  activity_ = activity;
  std::snprintf(now_running, sizeof now_running, "seed %llu, case %lld, rank %d of %d, step %d, %s",
                static_cast<unsigned long long>(settings_.seed), static_cast<long long>(number_),
                group_.rank, group_.size, step_, activity.c_str());
}

void RandomCase::mismatch(const std::string& text) {
  ++mismatches_;
  std::fprintf(stderr, "MISMATCH %s: %s\n  %s\n  again: mpirun -n %d random_views %s\n",
               now_running, text.c_str(), self().describe().c_str(), world_size_,
               repeat_options(settings_, number_).c_str());
  if (!settings_.keep_going) MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace headrace::test
