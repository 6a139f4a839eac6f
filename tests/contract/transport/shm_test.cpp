// Shared memory between processes keeps the contract of node memory, in both ways of finding each
// other's files, and leaves nothing behind.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "contract/transport/node_memory_contract.hpp"
#include "contract/transport/processes.hpp"
#include "transport/shm/huge_pages.hpp"
#include "transport/shm/mapping.hpp"

namespace headrace::test {
namespace {

using transport::FileNaming;
using transport::NodeMemory;
using transport::SharedFile;
using transport::ShmPeer;

/// As where /proc shows other processes' files to nobody.
void hide_proc(FileNaming naming, std::vector<ShmPeer>& peers) {
  if (naming == FileNaming::named) return;
  for (ShmPeer& peer : peers) peer.file.pid = -1;
}

void run_on_node(int ranks, const Distortion& distortion,
                 const std::function<void(NodeMemory&)>& body) {
  MeetingPlace place(ranks);
  run_as_processes(ranks, [&](int rank) {
    const auto node = make_shm_node(place, rank, distortion);
    ASSERT_TRUE(node.ok()) << node.status().message();
    body(**node);
  });
}

NodeWorld shm_world(int ranks) {
  return {std::to_string(ranks) + "_ranks",
          [=](const auto& body) { run_on_node(ranks, nullptr, body); }};
}
NodeWorld shm_world_without_proc(int ranks) {
  return {std::to_string(ranks) + "_ranks_without_proc",
          [=](const auto& body) { run_on_node(ranks, hide_proc, body); }};
}

/// As on kernels that have none on demand.
NodeWorld shm_world_without_huge_pages(int ranks) {
  return {std::to_string(ranks) + "_ranks_without_huge_pages", [=](const auto& body) {
            run_on_node(ranks, nullptr, [&](NodeMemory& node) {
              ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
              body(node);
            });
          }};
}

INSTANTIATE_TEST_SUITE_P(Shm, NodeMemoryContract,
                         testing::Values(shm_world(1), shm_world(2), shm_world(4),
                                         shm_world_without_proc(3),
                                         shm_world_without_huge_pages(2)),
                         node_world_name);

int entries(const char* folder) {
  const std::filesystem::directory_iterator all(folder);
  return static_cast<int>(std::distance(begin(all), end(all)));
}

/// Named shared memory of Headrace that nobody has removed. Other tests' folders do not count.
int named_shared_memory() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    count += entry.is_regular_file() && entry.path().filename().string().starts_with("headrace-");
  return count;
}

/// Mappings of Headrace's shared memory in this process; the heap's own come and go.
int shared_mappings() {
  int count = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    count += line.find("/memfd:headrace") != std::string::npos ||
             line.find("/dev/shm/headrace-") != std::string::npos;
  return count;
}

/// Makes a node, uses a region of every rank, and lets it all go.
void open_and_close(MeetingPlace& place, int rank, const Distortion& distortion) {
  const auto node = make_shm_node(place, rank, distortion);
  ASSERT_TRUE(node.ok());
  ASSERT_TRUE((*node)->reserve(0, 100).ok());
  place.all(rank, true);
  for (int owner = 0; owner < place.ranks(); ++owner)
    ASSERT_NE((*node)->region(owner, 0, 100), nullptr);
  ASSERT_GT(shared_mappings(), 0);
  place.all(rank, true);
}

void expect_no_leak(int cycles, const Distortion& distortion) {
  MeetingPlace place(2);
  run_as_processes(2, [&](int rank) {
    open_and_close(place, rank, distortion);
    const int files = entries("/proc/self/fd");
    for (int i = 0; i < cycles; ++i) open_and_close(place, rank, distortion);
    EXPECT_EQ(entries("/proc/self/fd"), files);
    EXPECT_EQ(shared_mappings(), 0);
  });
}

TEST(ShmNode, ten_thousand_nodes_leak_no_file_and_no_mapping) {
  expect_no_leak(10'000, nullptr);
}
TEST(ShmNode, nodes_without_proc_leak_neither) {
  expect_no_leak(1'000, hide_proc);
}

TEST(ShmNode, nothing_is_left_behind_by_ranks_that_are_killed) {
  for (const Distortion& distortion : {Distortion(nullptr), Distortion(hide_proc)}) {
    MeetingPlace place(2);
    const auto endings = endings_of_processes(2, [&](int rank) {
      const auto node = make_shm_node(place, rank, distortion);
      ASSERT_TRUE(node.ok());
      place.all(rank, true);
      std::raise(SIGKILL);
    });
    EXPECT_EQ(endings, (std::vector<int>{SIGKILL, SIGKILL}));
    EXPECT_EQ(named_shared_memory(), 0);
  }
}

TEST(ShmNode, one_rank_that_fails_fails_all) {
  MeetingPlace place(3);
  run_as_processes(3, [&](int rank) {
    const Distortion lose_first_file = [&](FileNaming, std::vector<ShmPeer>& peers) {
      if (rank == 1) ++peers[0].file.inode;
    };
    const auto node = make_shm_node(place, rank, lose_first_file);
    EXPECT_FALSE(node.ok());
    EXPECT_FALSE(node.status().message().empty());
  });
  EXPECT_EQ(named_shared_memory(), 0);
}

TEST(ShmNode, a_limit_on_file_sizes_is_an_error_not_a_signal) {
  MeetingPlace place(1);
  run_as_processes(1, [&](int) {
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = 170 << 20;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const auto node = make_shm_node(place, 0);
    ASSERT_TRUE(node.ok());
    EXPECT_EQ((*node)->reserve(15, 20 << 20).error_class(), ErrorClass::no_memory);
    EXPECT_TRUE((*node)->reserve(15, 1 << 20).ok());
    limit.rlim_cur = 1 << 20;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_EQ((*node)->reserve(0, 1 << 20).error_class(), ErrorClass::no_memory);
    EXPECT_FALSE(make_shm_node(place, 0).ok());
  });
}

TEST(ShmNode, regions_grow_under_a_rain_of_signals) {
  MeetingPlace place(1);
  run_as_processes(1, [&](int) {
    std::signal(SIGPROF, [](int) {});
    const itimerval often{{0, 1'000}, {0, 1'000}};
    ASSERT_EQ(setitimer(ITIMER_PROF, &often, nullptr), 0);
    const auto node = make_shm_node(place, 0);
    ASSERT_TRUE(node.ok());
    EXPECT_TRUE((*node)->reserve(0, 100 << 20).ok());
  });
}

/// Bytes of shared memory that this process has mapped in huge pages.
std::int64_t mapped_in_huge_pages() {
  std::int64_t kibibytes = 0;
  std::ifstream maps("/proc/self/smaps");
  for (std::string word; maps >> word;)
    if (word == "ShmemPmdMapped:" && maps >> word) kibibytes += std::stoll(word);
  return kibibytes * 1024;
}

constexpr auto huge_page = static_cast<std::int64_t>(transport::huge_page_bytes);

TEST(HugePages, back_whole_pages_and_keep_what_is_there) {
  run_as_processes(1, [](int) {
    auto file = SharedFile::create(FileNaming::anonymous);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(transport::allocate_backing(file->fd(), huge_page, 5000).ok());
    const transport::Mapping before(file->fd(), huge_page, 5000);
    *before.data() = std::byte{7};
    ASSERT_TRUE(transport::allocate_backing(file->fd(), huge_page + 8192, 3 * huge_page).ok());
    const transport::Mapping mapping(file->fd(), huge_page, 3 * huge_page + 8192);
    EXPECT_EQ(*mapping.data(), std::byte{7});
    EXPECT_EQ(mapping.data()[huge_page], std::byte{0});
    *before.data() = std::byte{8};
    EXPECT_EQ(*mapping.data(), std::byte{8}) << "they are the same memory";
    if (mapped_in_huge_pages() > 0)
      EXPECT_EQ(mapped_in_huge_pages(), 3 * huge_page);
    else
      std::cout << "not shown here: this system has no huge pages on demand, or in time\n";
  });
}

TEST(HugePages, sizes_are_rounded_where_little_is_wasted) {
  run_as_processes(1, [](int) {
    EXPECT_EQ(transport::rounded_for_huge_pages(4096), 4096);
    EXPECT_EQ(transport::rounded_for_huge_pages(huge_page / 2 - 4096), huge_page / 2 - 4096);
    EXPECT_EQ(transport::rounded_for_huge_pages(huge_page / 2), huge_page);
    EXPECT_EQ(transport::rounded_for_huge_pages(huge_page + 4096), huge_page + 4096);
    EXPECT_EQ(transport::rounded_for_huge_pages(2 * huge_page - 4096), 2 * huge_page);
    ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
    auto file = SharedFile::create(FileNaming::anonymous);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(transport::allocate_backing(file->fd(), 0, huge_page).ok());
    EXPECT_EQ(transport::rounded_for_huge_pages(huge_page / 2), huge_page / 2)
        << "once there were none to be had";
  });
}

TEST(SharedFile, is_closed_on_exec_and_found_by_its_identity_only) {
  for (const auto naming : {FileNaming::anonymous, FileNaming::named}) {
    auto file = SharedFile::create(naming);
    ASSERT_TRUE(file.ok());
    auto same = transport::open_shared_file(file->location());
    ASSERT_TRUE(same.ok()) << same.status().message();
    EXPECT_TRUE(fcntl(file->fd(), F_GETFD) & FD_CLOEXEC);
    EXPECT_TRUE(fcntl(same->get(), F_GETFD) & FD_CLOEXEC);
    auto elsewhere = file->location();
    ++elsewhere.inode;
    EXPECT_FALSE(transport::open_shared_file(elsewhere).ok());
  }
}

}  // namespace
}  // namespace headrace::test
