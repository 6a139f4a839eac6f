#include "transport/mpi/make_team.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/log.hpp"
#include "base/unique_fd.hpp"
#include "mpi/collectives.hpp"
#include "mpi/handles.hpp"
#include "transport/inproc/inproc_node.hpp"
#include "transport/mpi/mpi_messenger.hpp"
#include "transport/shm/shm_node.hpp"

namespace headrace::transport {
namespace {

using mpi::CommHandle;
using mpi::gather_all;
using mpi::GroupHandle;
using mpi::status_of_mpi;

constexpr const char* ranks_per_node_variable = "HEADRACE_RANKS_PER_NODE";
constexpr int unlimited = std::numeric_limits<int>::max();

Result<int> rank_in(MPI_Comm comm) {
  int rank = 0;
  if (const int code = MPI_Comm_rank(comm, &rank); code != MPI_SUCCESS)
    return status_of_mpi(code, "a communicator of Headrace");
  return rank;
}

/// nullopt: not a number of ranks.
std::optional<int> parse_ranks(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

/// What HEADRACE_RANKS_PER_NODE says here; 0: nothing that can be understood.
int wanted_ranks_per_node() {
  const char* text = std::getenv(ranks_per_node_variable);
  return text == nullptr ? unlimited : parse_ranks(text).value_or(0);
}

void complain_of_ranks_per_node() {
  static std::atomic<bool> has_complained = false;
  if (!has_complained.exchange(true))
    log_warning("{}={} is ignored: allowed is a number of ranks, 1 or more",
                ranks_per_node_variable, std::getenv(ranks_per_node_variable));
}

using HostName = std::array<char, 64>;  // cut if longer; ends with a zero

HostName host_name() {
  HostName name{};
  gethostname(name.data(), name.size() - 1);
  return name;
}

/// Mostly another number for another machine: hosts of one name have not been started at one time.
/// Whether ranks that have it in common can share memory is found out when they do.
std::uint64_t machine_number(const HostName& host) {
  std::string machine = host.data();
  // Not by a stream: the first one of a process looks up a hundred symbols to set up its locale.
  const UniqueFd boot_id(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  const ssize_t length = boot_id.get() < 0 ? 0 : read(boot_id.get(), text.data(), text.size());
  if (length > 0) machine.append(text.data(), static_cast<std::size_t>(length));
  return std::hash<std::string>()(machine);
}

/// What a rank tells all others. Plain data.
struct Introduction {
  HostName host{};
  std::uint64_t machine = 0;
  int ranks_per_node = 0;  // wanted, on its machine; 0: not understood
  ShmPeer memory;
};

/// `own`: has no place where it could not be made.
Introduction introduction(const SharedFile& own) {
  Introduction mine{host_name(), 0, wanted_ranks_per_node(), shm_peer(own)};
  mine.machine = machine_number(mine.host);
  return mine;
}

/// Ranks of one node, as far as they are known.
struct Block {
  int length = 0;  // of a full one
  int first = 0;
  int count = 0;
};

/// The first rank of the node of each: machines are cut into blocks as their first rank wants it.
/// Which of these is `self`, complains if that is not understood.
std::vector<int> first_of_node(std::span<const Introduction> everybody, int self) {
  std::unordered_map<std::uint64_t, Block> last_of_machine;
  std::vector<int> first;
  first.reserve(everybody.size());
  for (int rank = 0; rank < std::ssize(everybody); ++rank) {
    const Introduction& mine = everybody[rank];
    const auto [machine, is_new] = last_of_machine.try_emplace(mine.machine);
    Block& block = machine->second;
    if (is_new) {
      block.length = mine.ranks_per_node > 0 ? mine.ranks_per_node : unlimited;
      if (mine.ranks_per_node == 0 && rank == self) complain_of_ranks_per_node();
    }
    if (is_new || block.count == block.length) block = {block.length, rank, 0};
    ++block.count;
    first.push_back(block.first);
  }
  return first;
}

/// Sets team.nodes and team.hosts.
void map_nodes(Team& team, std::span<const Introduction> everybody) {
  team.nodes = plan::NodeMap(first_of_node(everybody, team.rank));
  team.hosts.clear();
  for (int node = 0; node < team.nodes.node_count(); ++node)
    team.hosts.emplace_back(everybody[team.nodes.ranks_of(node)[0]].host.data());
}

/// Every rank becomes a node.
void give_private_memory(Team& team) {
  const int ranks = team.nodes.rank_count();
  std::vector<std::string> hosts;
  hosts.reserve(ranks);
  for (int rank = 0; rank < ranks; ++rank) hosts.push_back(team.hosts[team.nodes.node_of(rank)]);
  team.hosts = std::move(hosts);
  team.nodes = plan::NodeMap::blocks(ranks, 1);
  team.node = InprocNode(1).attach(0);
}

/// Sets team.node, of memory that all its ranks can use once all have succeeded.
Status share_memory(Team& team, SharedFile& own, std::span<const Introduction> everybody) {
  std::vector<ShmPeer> peers;
  for (const int rank : team.nodes.ranks_of(team.nodes.node_of(team.rank)))
    peers.push_back(everybody[rank].memory);
  auto node = join_shm_node(own, team.nodes.local_rank(team.rank), peers);
  if (node.ok()) team.node = std::move(*node);
  return node.status();
}

/// Collective over the node leaders alone; none on other ranks.
Result<CommHandle> leaders_of(const Team& team, MPI_Comm comm) {
  CommHandle leaders;
  if (team.nodes.local_rank(team.rank) != 0) return leaders;
  std::vector<int> ranks;
  ranks.reserve(team.nodes.node_count());
  for (int node = 0; node < team.nodes.node_count(); ++node)
    ranks.push_back(team.nodes.ranks_of(node)[0]);
  GroupHandle everybody;
  GroupHandle chosen;
  int code = MPI_Comm_group(comm, everybody.out());
  if (code == MPI_SUCCESS)
    code =
        MPI_Group_incl(everybody.get(), static_cast<int>(ranks.size()), ranks.data(), chosen.out());
  if (code == MPI_SUCCESS) code = MPI_Comm_create_group(comm, chosen.get(), 0, leaders.out());
  if (code != MPI_SUCCESS) return status_of_mpi(code, "MPI_Comm_create_group");
  return leaders;
}

/// Sets team.messenger where there are several nodes.
Status give_messenger(Team& team, MPI_Comm comm) {
  team.messenger.reset();
  if (team.nodes.node_count() == 1) return {};
  auto leaders = leaders_of(team, comm);
  if (!leaders.ok()) return leaders.status();
  auto messenger = make_mpi_messenger(comm, std::move(*leaders));
  if (messenger.ok()) team.messenger = std::move(*messenger);
  return messenger.status();
}

/// How far all ranks have come, which is as far as the one that has come least.
enum class Progress : std::int64_t { mpi_failed, no_memory, done };

struct Agreed {
  Progress progress = Progress::mpi_failed;
  int first_without_memory = 0;
};

/// What becomes of a team is agreed on once: when it has all that it needs, or does not.
Result<Agreed> agree(const Team& team, const Status& memory, const Status& messenger,
                     MPI_Comm comm) {
  const Progress mine = !messenger.ok() ? Progress::mpi_failed
                        : !memory.ok()  ? Progress::no_memory
                                        : Progress::done;
  std::array<std::int64_t, 2> least{static_cast<std::int64_t>(mine),
                                    memory.ok() ? team.nodes.rank_count() : team.rank};
  if (Status status = mpi::minima(least, comm); !status.ok()) return status;
  if (least[0] != static_cast<std::int64_t>(Progress::mpi_failed))
    return Agreed{static_cast<Progress>(least[0]), static_cast<int>(least[1])};
  if (!messenger.ok()) return messenger;
  return Status(ErrorClass::other, "MPI failed on another rank");
}

/// With files of shared memory that are found in one way, or in private memory where all ranks are
/// nodes of their own.
Result<Agreed> try_to_make(Team& team, FileNaming naming, MPI_Comm comm, Status& memory) {
  auto own = SharedFile::create(naming);
  SharedFile none;
  SharedFile& file = own.ok() ? *own : none;
  const auto everybody = gather_all(introduction(file), comm);
  if (!everybody.ok()) return everybody.status();
  map_nodes(team, *everybody);
  if (team.nodes.node_count() == team.nodes.rank_count()) {
    give_private_memory(team);
  } else {
    memory = own.ok() ? share_memory(team, file, *everybody) : own.status();
  }
  return agree(team, memory, give_messenger(team, comm), comm);
}

Result<Agreed> do_without_shared_memory(Team& team, MPI_Comm comm) {
  give_private_memory(team);
  return agree(team, {}, give_messenger(team, comm), comm);
}

}  // namespace

Result<std::unique_ptr<Team>> make_team(MPI_Comm comm) {
  auto place = rank_in(comm);
  if (!place.ok()) return place.status();
  auto team = std::make_unique<Team>();
  team->rank = *place;
  Status memory;
  Result<Agreed> agreed = try_to_make(*team, FileNaming::anonymous, comm, memory);
  if (agreed.ok() && agreed->progress == Progress::no_memory)
    agreed = try_to_make(*team, FileNaming::named, comm, memory);
  if (agreed.ok() && agreed->progress == Progress::no_memory) {
    if (agreed->first_without_memory == team->rank)
      log_warning("no shared memory, every rank counts as a node: {}", memory.message());
    agreed = do_without_shared_memory(*team, comm);
  }
  if (!agreed.ok()) return agreed.status();
  return team;
}

}  // namespace headrace::transport
