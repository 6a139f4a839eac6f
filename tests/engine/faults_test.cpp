// When the storage fails: the same error class on every rank, nobody waits, and the file goes on
// being usable.
#include <gtest/gtest.h>

#include <atomic>

#include "base/log.hpp"
#include "engine/collective_file.hpp"
#include "storage/memory/memory_storage.hpp"
#include "support/interleaved_call.hpp"
#include "support/thread_team.hpp"

namespace headrace::engine {
namespace {

constexpr int ranks = 6;
constexpr std::int64_t piece = 16;
constexpr std::int64_t pieces = 40;

Call interleaved_call(int rank, std::int64_t gap, std::vector<std::byte>& buffer) {
  return test::interleaved_call({ranks, piece, pieces, gap}, rank, buffer);
}

/// And whether the storage is slow, so that it is served by a thread of its own. The automatic
/// method makes every rank access the storage itself: its blocks are a quarter of a piece.
class Faults : public testing::TestWithParam<std::tuple<Method, bool>> {
 protected:
  Faults() {
    options_.method = std::get<Method>(GetParam());
    file_->set_traits(
        {.slow = std::get<bool>(GetParam()), .block_size = is_direct() ? piece / 4 : 0});
    options_.cb_buffer_size = 512;
    options_.cb_nodes = 2;
    options_.file_domains = FileDomains::even;  // so that one of them alone meets the end
  }

  bool is_direct() const { return std::get<Method>(GetParam()) == Method::automatic; }

  /// One collective call by all ranks; returns the class that all of them report.
  ErrorClass call_on_all(bool is_write, std::int64_t gap,
                         storage::Access access = storage::Access::read_write) {
    std::array<ErrorClass, ranks> classes{};
    teams_.run([&](Team& team) {
      CollectiveFile file(team, storage::open_memory, "/faults", access,
                          FileFacts{.options = options_});
      std::vector<std::byte> buffer;
      const Call call = interleaved_call(team.rank, gap, buffer);
      const Outcome outcome = is_write ? file.write_all(call) : file.read_all(call);
      EXPECT_EQ(outcome.host, Veto::none);
      EXPECT_EQ(outcome.status.ok(), outcome.status.message().empty());
      classes[team.rank] = outcome.status.error_class();
    });
    for (const ErrorClass each : classes) EXPECT_EQ(each, classes[0]);
    return classes[0];
  }

  test::ThreadTeams teams_{ranks, 3};
  std::shared_ptr<storage::MemoryFile> file_ = storage::MemoryFile::create("/faults");
  Options options_;
};

TEST_P(Faults, at_every_call_of_the_storage_reach_every_rank) {
  LogCapture log;
  for (const bool is_write : {true, false})
    for (const auto kind :
         {storage::MemoryCall::write, storage::MemoryCall::read, storage::MemoryCall::lock}) {
      int failed = 0;
      for (int nth = 1;; ++nth) {
        file_->fail(kind, file_->calls(kind) + nth, EIO);
        const ErrorClass result = call_on_all(is_write, 4);
        file_->fail(kind, 0, 0);
        if (result == ErrorClass::ok) break;
        EXPECT_EQ(result, ErrorClass::io);
        EXPECT_EQ(call_on_all(is_write, 4), ErrorClass::ok) << "the file is usable afterwards";
        ++failed;
      }
      const auto moves = is_write ? storage::MemoryCall::write : storage::MemoryCall::read;
      const bool fills_holes = is_write && !is_direct();
      const bool does_such_calls = kind == moves || fills_holes;
      EXPECT_EQ(failed > 0, does_such_calls);
    }
}

TEST_P(Faults, a_full_device_is_no_space_on_every_rank) {
  LogCapture log;
  file_->set_capacity(3000);
  EXPECT_EQ(call_on_all(true, 0), ErrorClass::no_space);
  EXPECT_EQ(log.messages().size(), 1U) << "said once, by the rank that saw it";
}

TEST_P(Faults, a_file_that_cannot_be_read_keeps_its_holes) {
  ASSERT_EQ(call_on_all(true, 0), ErrorClass::ok);
  const auto before = file_->bytes();
  file_->set_readable(false);
  ASSERT_EQ(call_on_all(true, 4, storage::Access::write_only), ErrorClass::ok);
  const auto after = file_->bytes();
  for (std::size_t i = 0; i < before.size(); ++i)
    ASSERT_TRUE(i % (piece + 4) < piece || after[i] == before[i]) << i;
}

TEST_P(Faults, a_missing_file_is_left_to_the_host_by_all) {
  file_.reset();
  std::atomic<int> left_to_host = 0;
  teams_.run([&](Team& team) {
    CollectiveFile file(team, storage::open_memory, "/faults", storage::Access::read_write,
                        FileFacts{.options = options_});
    std::vector<std::byte> buffer;
    left_to_host += file.write_all(interleaved_call(team.rank, 0, buffer)).host == Veto::no_storage;
  });
  EXPECT_EQ(left_to_host, ranks);
}

TEST_P(Faults, one_ranks_veto_is_everybodys) {
  std::atomic<int> left_to_host = 0;
  teams_.run([&](Team& team) {
    CollectiveFile file(team, storage::open_memory, "/faults", storage::Access::read_write,
                        FileFacts{.options = options_});
    std::vector<std::byte> buffer;
    Call call = interleaved_call(team.rank, 0, buffer);
    if (team.rank == 4) call.veto = Veto::unsupported_datatype;
    left_to_host += file.write_all(call).host == Veto::unsupported_datatype;
  });
  EXPECT_EQ(left_to_host, ranks);
  EXPECT_TRUE(file_->bytes().empty());
}

std::string name_of(const testing::TestParamInfo<std::tuple<Method, bool>>& info) {
  const auto [method, slow] = info.param;
  const char* name = method == Method::tam         ? "tam"
                     : method == Method::two_phase ? "two_phase"
                                                   : "direct";
  return std::string(name) + (slow ? "_slow" : "");
}

INSTANTIATE_TEST_SUITE_P(Methods, Faults,
                         testing::Combine(testing::Values(Method::two_phase, Method::tam,
                                                          Method::automatic),
                                          testing::Bool()),
                         name_of);

}  // namespace
}  // namespace headrace::engine
