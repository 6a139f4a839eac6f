// Random collective calls on threads, against an oracle that places each rank's bytes one by one.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "engine/collective_file.hpp"
#include "storage/memory/memory_storage.hpp"
#include "support/thread_team.hpp"

namespace headrace::engine {
namespace {

using report::Counter;

using Bytes = std::vector<std::byte>;

/// One rank's part: bytes of the file in order, and where each lies in its buffer.
struct Part {
  std::vector<std::int64_t> file;
  std::vector<std::int64_t> memory;
  Bytes buffer;
  plan::Pattern file_pattern;
  plan::Pattern memory_pattern;
};

plan::PlacedLayout layout_of(const std::vector<std::int64_t>& bytes) {
  std::vector<std::int64_t> lengths(bytes.size(), 1);
  return plan::blocks(bytes, lengths);
}

plan::Pattern pattern_of(const std::vector<std::int64_t>& bytes) {
  return plan::Pattern(layout_of(bytes), 0, static_cast<std::int64_t>(bytes.size()));
}

class Case {
 public:
  explicit Case(unsigned seed) : random_(seed) {
    ranks = pick(1, 9);
    per_node = pick(1, ranks);
    options.method = pick(0, 1) == 0 ? Method::two_phase : Method::tam;
    if (pick(0, 5) == 0) options.method = Method::automatic;
    options.cb_buffer_size = pick(0, 2) == 0 ? 1 << 20 : pick(64, 700);
    options.cb_nodes = pick(0, ranks);
    options.local_aggregators = pick(0, ranks);
    options.ds_write = static_cast<Toggle>(pick(0, 2));
    options.ds_read = static_cast<Toggle>(pick(0, 2));
    options.plan_cache = pick(0, 3) == 0 ? pick(0, 400) : 8 << 20;
    options.aggregator_placement = static_cast<AggregatorPlacement>(pick(0, 1));
    options.file_domains = static_cast<FileDomains>(pick(0, 2));
    options.schedule = static_cast<Schedule>(pick(0, 4));
    options.early_return = pick(0, 1) == 0;
    traits.stripe_size = pick(0, 2) == 0 ? pick(1, 500) : 0;
    traits.stripe_count = traits.stripe_size > 0 ? pick(1, 5) : 0;
    traits.slow = pick(0, 3) == 0;
    traits.block_size = pick(0, 2) == 0 ? pick(1, 5) : 0;  // small ones: large requests go direct
    if (traits.block_size > 0 && pick(0, 1) == 0) options.method = Method::automatic;
    is_reopened = pick(0, 1) == 0;
    is_late = pick(0, 2) == 0;
    options_of_reads = options;
    if (pick(0, 1) == 0) options_of_reads.cb_buffer_size = pick(64, 700);
    initial = random_bytes(pick(0, 1) == 0 ? 0 : pick(0, 3000));
  }

  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  Bytes random_bytes(int size) {
    Bytes bytes(static_cast<std::size_t>(size));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(pick(1, 255));
    return bytes;
  }

  /// Every rank's part of one call. `overlap`: ranks may share bytes of the file.
  std::vector<Part> parts(bool overlap) {
    const int limit = pick(1, 4000);
    const int style = pick(0, 3);
    std::vector<Part> all(static_cast<std::size_t>(ranks));
    for (int offset = pick(0, 50); offset < limit;) {
      const int length = std::min(style == 0 ? 400 : pick(1, 30), limit - offset);
      const int owner = style == 1 ? offset / 100 % ranks : pick(-1, ranks - 1);
      for (int i = 0; i < length && owner >= 0; ++i) all[owner].file.push_back(offset + i);
      offset += length;
      if (overlap && pick(0, 2) == 0) offset = std::max(0, offset - pick(0, 60));
    }
    for (Part& part : all) complete(part);
    return all;
  }

  /// The same patterns, by a multiple of stripes or by any number of bytes further on, with other
  /// data; by the same datatypes, or by new ones.
  std::vector<Part> again(std::vector<Part> parts) {
    const int shift = pick(0, 2) * (traits.stripe_size > 0 && pick(0, 1) == 0
                                        ? static_cast<int>(traits.stripe_size) * 60
                                        : pick(0, 900));
    const bool is_rebuilt = pick(0, 1) == 0;
    for (Part& part : parts) {
      for (std::int64_t& offset : part.file) offset += shift;
      const plan::Pattern& old = part.file_pattern;
      part.file_pattern =
          is_rebuilt ? pattern_of(part.file)
                     : plan::Pattern(plan::PlacedLayout{old.origin() + shift, old.layout()});
      part.buffer = random_bytes(static_cast<int>(part.buffer.size()));
    }
    return parts;
  }

  int ranks;
  int per_node;
  Options options;
  bool is_reopened = false;  // between writes and reads
  bool is_late = false;      // messages leave late
  Options options_of_reads;
  storage::Traits traits;
  Bytes initial;

 private:
  void complete(Part& part) {
    std::set<std::int64_t> file(part.file.begin(), part.file.end());
    if (pick(0, 4) == 0) file.clear();
    part.file.assign(file.begin(), file.end());
    const bool is_contiguous = pick(0, 1) == 0;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < part.file.size(); ++i) {
      part.memory.push_back(at);
      at += is_contiguous ? 1 : pick(1, 3);
    }
    if (pick(0, 3) == 0) std::shuffle(part.memory.begin(), part.memory.end(), random_);
    part.buffer = random_bytes(static_cast<int>(at) + 1);
    part.file_pattern = pattern_of(part.file);
    part.memory_pattern = pattern_of(part.memory);
  }

  std::mt19937 random_;
};

/// Writes by all ranks, then a read by all ranks; the file is checked after each write.
class Run {
 public:
  Run(Case& the_case, bool overlap)
      : case_(the_case), file_(storage::MemoryFile::create("/random")) {
    file_->set_traits(case_.traits);
    file_->put(0, case_.initial);
    model_ = case_.initial;
    for (int call = 0; call < 4; ++call)
      writes_.push_back(call > 0 && case_.pick(0, 2) > 0
                            ? case_.again(writes_[case_.pick(0, call - 1)])
                            : case_.parts(overlap));
    reads_.push_back(case_.parts(true));
    reads_.push_back(case_.again(reads_.front()));
    reads_.push_back(case_.again(writes_[case_.pick(0, 3)]));
  }

  void go() {
    test::ThreadTeams teams(case_.ranks, case_.per_node);
    if (case_.is_late) teams.make_late();
    teams.run([this](Team& team) {
      auto file = open(team, case_.options);
      for (const std::vector<Part>& parts : writes_) {
        const Outcome outcome = file->write_all(call_of(parts[team.rank]));
        expect_served(outcome, static_cast<std::int64_t>(parts[team.rank].file.size()));
        file->wait_for_others();
        meet(team, [&] { check_file(parts); });
      }
      if (case_.is_reopened) {
        count(*file);
        file.reset();
        file = open(team, case_.options_of_reads);
      }
      for (const std::vector<Part>& parts : reads_) read(team, *file, parts);
      count(*file);
    });
  }

  /// Of all ranks.
  const report::Counters& counters() const { return counters_; }

 private:
  static std::unique_ptr<CollectiveFile> open(Team& team, const Options& options) {
    return std::make_unique<CollectiveFile>(team, storage::open_memory, "/random",
                                            storage::Access::read_write,
                                            FileFacts{.options = options});
  }

  static Call call_of(const Part& part) {
    return {part.file_pattern, part.memory_pattern, const_cast<std::byte*>(part.buffer.data())};
  }

  void expect_served(const Outcome& outcome, std::int64_t bytes) {
    const std::lock_guard guard(mutex_);
    EXPECT_EQ(outcome.host, Veto::none);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
    EXPECT_EQ(outcome.bytes, bytes);
  }

  /// One rank of all runs `body` while the others wait for it.
  void meet(Team& team, const std::function<void()>& body) {
    Meeting meeting{*this, team};
    meeting.go(body);
  }
  struct Meeting {
    Run& run;
    Team& team;
    void go(const std::function<void()>& body) {
      std::unique_lock lock(run.mutex_);
      const int turn = run.turn_;
      if (++run.arrived_ == run.case_.ranks) {
        body();
        run.arrived_ = 0;
        ++run.turn_;
        run.all_arrived_.notify_all();
      } else {
        run.all_arrived_.wait(lock, [&] { return run.turn_ != turn; });
      }
    }
  };

  /// Where ranks overlap, any of their bytes will do; the model then takes what the file has.
  void check_file(const std::vector<Part>& parts) {
    std::map<std::int64_t, std::set<std::byte>> allowed;
    for (const Part& part : parts)
      for (std::size_t i = 0; i < part.file.size(); ++i)
        allowed[part.file[i]].insert(part.buffer[part.memory[i]]);
    if (!allowed.empty())
      model_.resize(std::max<std::size_t>(model_.size(), allowed.rbegin()->first + 1));
    const Bytes now = file_->bytes();
    ASSERT_EQ(now.size(), model_.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto written = allowed.find(static_cast<std::int64_t>(i));
      if (written == allowed.end())
        ASSERT_EQ(now[i], model_[i]) << "byte " << i << ", which nobody wrote";
      else
        ASSERT_TRUE(written->second.contains(now[i])) << "byte " << i;
      model_[i] = now[i];
    }
  }

  void read(Team& team, CollectiveFile& file, const std::vector<Part>& parts) {
    Part part = parts[team.rank];
    Bytes expected = part.buffer;
    std::int64_t available = 0;
    for (std::size_t i = 0; i < part.file.size(); ++i)
      if (part.file[i] < static_cast<std::int64_t>(model_.size())) {
        expected[part.memory[i]] = model_[part.file[i]];
        ++available;
      }
    const Outcome outcome = file.read_all(call_of(part));
    expect_served(outcome, available);
    const std::lock_guard guard(mutex_);
    const auto wrong = std::mismatch(expected.begin(), expected.end(), part.buffer.begin()).first;
    EXPECT_EQ(wrong, expected.end()) << "rank " << team.rank << " has a wrong byte at "
                                     << wrong - expected.begin() << " of its buffer";
  }

  void count(const CollectiveFile& file) {
    const std::lock_guard guard(mutex_);
    for (const report::Counter each :
         {Counter::plans_reused, Counter::direct_calls, Counter::small_calls})
      counters_[each] += file.counters()[each];
  }

  Case& case_;
  std::shared_ptr<storage::MemoryFile> file_;
  std::vector<std::vector<Part>> writes_;
  std::vector<std::vector<Part>> reads_;
  Bytes model_;
  std::mutex mutex_;
  std::condition_variable all_arrived_;
  int arrived_ = 0;
  int turn_ = 0;
  report::Counters counters_;
};

std::string describe(const Case& c) {
  std::string text =
      "ranks " + std::to_string(c.ranks) + ", per node " + std::to_string(c.per_node);
  for (const Hint& hint : effective_hints(c.options)) text += ", " + hint.key + "=" + hint.value;
  text += c.traits.slow ? ", slow" : ", quick";
  return text + ", stripe size " + std::to_string(c.traits.stripe_size) + ", count " +
         std::to_string(c.traits.stripe_count);
}

/// Of all cases.
report::Counters run_cases(
    unsigned first, unsigned count, bool overlap,
    const std::function<void(Case&)>& change = [](Case&) {}) {
  report::Counters counters;
  for (unsigned seed = first; seed < first + count; ++seed) {
    Case the_case(seed);
    change(the_case);
    Run run(the_case, overlap);
    run.go();
    for (int i = 0; i < report::counter_count; ++i)
      counters.values()[i] += run.counters().values()[i];
    if (!testing::Test::HasFailure()) continue;
    ADD_FAILURE() << "seed " << seed << ": " << describe(the_case);
    break;
  }
  return counters;
}

#if defined(__SANITIZE_THREAD__)
constexpr unsigned cases = 60;
#else
constexpr unsigned cases = 300;
#endif

TEST(RandomCalls, give_the_oracles_file_and_buffers) {
  const report::Counters counters = run_cases(1, cases, false);
  EXPECT_GT(counters[Counter::plans_reused], cases) << "plans of calls before are hardly used";
  EXPECT_GT(counters[Counter::direct_calls], cases)
      << "hardly any rank accesses the storage itself";
}

void make_small(Case& the_case) {
  the_case.per_node = the_case.ranks;
  the_case.options.method = the_case.options_of_reads.method = Method::automatic;
  the_case.options.schedule = the_case.options_of_reads.schedule = Schedule::offset;
}

TEST(RandomCalls, of_few_bytes_give_the_oracles_file_and_buffers) {
  const report::Counters counters = run_cases(300'000, cases, false, make_small);
  EXPECT_GT(counters[Counter::small_calls], cases) << "hardly any call is small";
}

// Overlapping writes race by MPI's own rules, so ThreadSanitizer would be right to complain.
#if !defined(__SANITIZE_THREAD__)
TEST(RandomCalls, overlapping_writes_leave_one_of_the_values) {
  const report::Counters counters = run_cases(100'000, cases, true);
  EXPECT_GT(counters[Counter::plans_reused], cases) << "plans of calls before are hardly used";
  EXPECT_GT(counters[Counter::direct_calls], cases)
      << "hardly any rank accesses the storage itself";
}

TEST(RandomCalls, of_few_overlapping_bytes_leave_one_of_the_values) {
  const report::Counters counters = run_cases(400'000, cases, true, make_small);
  EXPECT_GT(counters[Counter::small_calls], cases) << "hardly any call is small";
}
#endif

}  // namespace
}  // namespace headrace::engine
