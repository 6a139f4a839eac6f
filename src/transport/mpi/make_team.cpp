#include "transport/mpi/make_team.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/log.hpp"
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
using mpi::minimum;
using mpi::status_of_mpi;

constexpr int unlimited = std::numeric_limits<int>::max();

struct Place {
  int rank = 0;
  int size = 0;
};

Result<Place> place_in(MPI_Comm comm) {
  Place place;
  int code = MPI_Comm_rank(comm, &place.rank);
  if (code == MPI_SUCCESS) code = MPI_Comm_size(comm, &place.size);
  if (code != MPI_SUCCESS) return status_of_mpi(code, "a communicator of Headrace");
  return place;
}

/// nullopt: not a number of ranks.
std::optional<int> parse_ranks(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

/// What HEADRACE_RANKS_PER_NODE says here.
int wanted_ranks_per_node() {
  const char* text = std::getenv("HEADRACE_RANKS_PER_NODE");
  if (text == nullptr) return unlimited;
  if (const auto ranks = parse_ranks(text)) return *ranks;
  static std::atomic<bool> has_complained = false;
  if (!has_complained.exchange(true))
    log_warning("HEADRACE_RANKS_PER_NODE={} is ignored: allowed is a number of ranks, 1 or more",
                text);
  return unlimited;
}

/// The ranks of one node, as a range of the machine's ranks.
struct Block {
  int first = 0;
  int count = 0;
};

/// The ranks that can share memory, in the order of the file's ranks, and this rank's node among
/// them.
struct Machine {
  CommHandle comm;
  Place place;
  Block node;
  int node_length = 0;         // of full nodes
  int first_of_node = 0;       // in the team's ranks
  bool is_everything = false;  // there is no other machine
};

/// What a rank tells the others of its machine.
struct Introduction {
  int rank;
  int wanted_ranks_per_node;
};

Result<Machine> find_machine(MPI_Comm comm, Place place) {
  Machine machine;
  int code = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, place.rank, MPI_INFO_NULL,
                                 machine.comm.out());
  if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(machine.comm.get(), MPI_ERRORS_RETURN);
  if (code != MPI_SUCCESS) return status_of_mpi(code, "MPI_Comm_split_type");
  auto local = place_in(machine.comm.get());
  if (!local.ok()) return local.status();
  machine.place = *local;
  const int wanted = local->rank == 0 ? wanted_ranks_per_node() : 0;
  auto ranks = gather_all(Introduction{place.rank, wanted}, machine.comm.get());
  if (!ranks.ok()) return ranks.status();
  const int length = std::min(ranks->front().wanted_ranks_per_node, local->size);
  machine.node.first = local->rank / length * length;
  machine.node.count = std::min(length, local->size - machine.node.first);
  machine.first_of_node = (*ranks)[machine.node.first].rank;
  machine.is_everything = local->size == place.size;
  machine.node_length = length;
  return machine;
}

/// What a rank tells all others: the first rank of its node, by which the node goes, and its host.
struct Residence {
  int first_of_node = 0;
  std::array<char, 64> host{};  // cut if longer; ends with a zero
};

Residence residence_of(const Machine& machine) {
  Residence residence{machine.first_of_node, {}};
  gethostname(residence.host.data(), residence.host.size() - 1);
  return residence;
}

/// Sets team.nodes and team.hosts.
Status map_nodes(Team& team, MPI_Comm comm, const Machine& machine) {
  const Residence mine = residence_of(machine);
  if (machine.is_everything) {
    team.nodes = plan::NodeMap::blocks(machine.place.size, machine.node_length);
    team.hosts.assign(team.nodes.node_count(), mine.host.data());
    return {};
  }
  const auto residences = gather_all(mine, comm);
  if (!residences.ok()) return residences.status();
  std::vector<int> node_of;
  node_of.reserve((*residences).size());
  for (const Residence& each : *residences) node_of.push_back(each.first_of_node);
  team.nodes = plan::NodeMap(node_of);
  for (int node = 0; node < team.nodes.node_count(); ++node)
    team.hosts.emplace_back((*residences)[team.nodes.ranks_of(node)[0]].host.data());
  return {};
}

/// Over all ranks of the machine, which set up their nodes in step.
class MachineExchange final : public ShmExchange {
 public:
  explicit MachineExchange(const Machine& machine) : machine_(machine) {}

  Result<std::vector<ShmPeer>> gather(const ShmPeer& mine) override {
    auto all = gather_all(mine, machine_.comm.get());
    if (!all.ok()) return all;
    const auto first = all->begin() + machine_.node.first;
    return std::vector(first, first + machine_.node.count);
  }
  bool all(bool mine) override {
    const auto least = minimum(mine ? 1 : 0, machine_.comm.get());
    return least.ok() && *least == 1;
  }

 private:
  const Machine& machine_;
};

Result<std::unique_ptr<NodeMemory>> share_memory(const Machine& machine) {
  MachineExchange exchange(machine);
  const int rank = machine.place.rank - machine.node.first;
  return make_shm_node(rank, machine.node.count, exchange);
}

/// Every rank becomes a node.
void give_private_memory(Team& team, int ranks) {
  std::vector<std::string> hosts;
  hosts.reserve(ranks);
  for (int rank = 0; rank < ranks; ++rank) hosts.push_back(team.hosts[team.nodes.node_of(rank)]);
  team.hosts = std::move(hosts);
  team.nodes = plan::NodeMap::blocks(ranks, 1);
  team.node = InprocNode(1).attach(0);
}

/// Sets team.node, and team.nodes anew where some node cannot have shared memory.
Status give_memory(Team& team, MPI_Comm comm, Place place, const Machine& machine) {
  if (team.nodes.node_count() == place.size) {
    give_private_memory(team, place.size);
    return {};
  }
  auto node = share_memory(machine);
  // Ranks of a machine succeed or fail together.
  const Result<std::int64_t> first_failed =
      node.ok() && machine.is_everything ? Result<std::int64_t>(place.size)
                                         : minimum(node.ok() ? place.size : place.rank, comm);
  if (!first_failed.ok()) return first_failed.status();
  if (*first_failed == place.size) {
    team.node = std::move(*node);
    return {};
  }
  if (*first_failed == place.rank)
    log_warning("no shared memory, every rank counts as a node: {}", node.status().message());
  give_private_memory(team, place.size);
  return {};
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

Status give_messenger(Team& team, MPI_Comm comm) {
  auto leaders = leaders_of(team, comm);
  if (!leaders.ok()) return leaders.status();
  auto messenger = make_mpi_messenger(comm, std::move(*leaders));
  if (messenger.ok()) team.messenger = std::move(*messenger);
  return messenger.status();
}

}  // namespace

Result<std::unique_ptr<Team>> make_team(MPI_Comm comm) {
  auto place = place_in(comm);
  if (!place.ok()) return place.status();
  auto machine = find_machine(comm, *place);
  if (!machine.ok()) return machine.status();
  auto team = std::make_unique<Team>();
  team->rank = place->rank;
  Status status = map_nodes(*team, comm, *machine);
  if (status.ok()) status = give_memory(*team, comm, *place, *machine);
  if (status.ok() && team->nodes.node_count() > 1) status = give_messenger(*team, comm);
  if (!status.ok()) return status;
  return team;
}

}  // namespace headrace::transport
