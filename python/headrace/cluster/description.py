"""What a cluster that is up is: its folder, in which everything of it is mounted or written.

cluster.json       this description; written last, so without it a cluster is not whole
switch/net         namespace of the bridge that joins the nodes
node0/net uts ipc  namespaces of a node
hosts              the nodes' names and addresses, as they see them in /etc/hosts
enter, agent, see  scripts.py
host_shm           /dev/shm of the machine
shared             files here are the same on all nodes, and on the machine
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from headrace.cluster.processes import Process
from headrace.cluster.rate import Rate
from headrace.errors import HeadraceError

ROOT = Path("/run/headrace")
DEFAULT_NAME = "headrace"
NAMESPACES = ("net", "uts", "ipc")


@dataclass(frozen=True)
class Node:
    name: str
    address: str


@dataclass(frozen=True)
class Cluster:
    """A cluster by its description. It ends when somebody takes it down, whoever holds this."""

    name: str
    nodes: tuple[Node, ...]
    network: str
    rate: Rate | None
    owner: Process | None
    """The process without which the cluster is not wanted."""

    @property
    def folder(self) -> Path:
        return ROOT / self.name

    @property
    def shared_folder(self) -> Path:
        """In memory, and the same on all nodes and outside; gone with the cluster."""
        return self.folder / "shared"

    @property
    def host_shm(self) -> Path:
        """/dev/shm of the machine, which nodes cannot see at its own place."""
        return self.folder / "host_shm"

    @property
    def switch(self) -> Path:
        """The network namespace of the bridge."""
        return self.folder / "switch" / "net"

    @property
    def enter(self) -> Path:
        """`enter NODE COMMAND ARGUMENTS` runs a command on a node."""
        return self.folder / "enter"

    @property
    def agent(self) -> Path:
        """Does it as ssh would, for launchers that know ssh."""
        return self.folder / "agent"

    @property
    def summary(self) -> str:
        count = len(self.nodes)
        links = f"links of {self.rate.text}" if self.rate else "links of no given rate"
        return f"{count} node{'s' if count > 1 else ''}, {links}"

    def placement(self, ranks: int) -> list[tuple[Node, int]]:
        """The nodes that get ranks, with how many: in blocks, the first nodes one more."""
        each, more = divmod(ranks, len(self.nodes))
        counts = (each + (index < more) for index in range(len(self.nodes)))
        return [(node, count) for node, count in zip(self.nodes, counts, strict=True) if count]

    def namespace(self, node: Node, kind: str = "net") -> Path:
        return self.folder / node.name / kind


def description_file(folder: Path) -> Path:
    return folder / "cluster.json"


def save(cluster: Cluster) -> None:
    """At one go, so that a description is there in full or not at all."""
    file = description_file(cluster.folder)
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps(asdict(cluster), indent=1) + "\n")
    draft.rename(file)


def load(folder: Path) -> Cluster | None:
    """None where there is no cluster, or one that is not whole."""
    try:
        told = json.loads(description_file(folder).read_text())
    except FileNotFoundError:
        return None
    return Cluster(
        told["name"],
        tuple(Node(**node) for node in told["nodes"]),
        told["network"],
        Rate(**told["rate"]) if told["rate"] else None,
        Process(**told["owner"]) if told["owner"] else None,
    )


def folders() -> list[Path]:
    """Of all clusters, whole or not."""
    return sorted(ROOT.iterdir()) if ROOT.is_dir() else []


def all_clusters() -> Iterator[Cluster]:
    return (cluster for folder in folders() if (cluster := load(folder)))


def find_cluster(name: str = DEFAULT_NAME) -> Cluster | None:
    return load(ROOT / name)


def require_cluster(name: str = DEFAULT_NAME) -> Cluster:
    cluster = find_cluster(name)
    if cluster is None:
        option = "" if name == DEFAULT_NAME else f" --name {name}"
        raise HeadraceError(
            f'no cluster "{name}" is up: start one with headrace cluster up --nodes 4{option}'
        )
    return cluster
