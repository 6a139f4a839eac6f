"""Of clusters, what needs neither root nor namespaces; the rest is in tests/cluster."""

from pathlib import Path

import pytest

from headrace import launch
from headrace.cluster import Cluster, Rate, bring_up, parse_rate, require_cluster, tools
from headrace.cluster.description import Node
from headrace.errors import HeadraceError
from headrace.launch import Request, launch_command
from headrace.mpis import Mpi

FOLDER = "/run/headrace/c"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LD_PRELOAD", "LD_LIBRARY_PATH", "HEADRACE_HINTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(launch, "require_mpirun", lambda mpi: Path(f"/bin/mpirun.{mpi}"))
    monkeypatch.setattr(launch, "require_finishing", lambda: Path("/lib/finish.so"))
    monkeypatch.setattr(launch, "physical_cores", lambda: 4)


def made(nodes: int) -> Cluster:
    members = tuple(Node(f"node{index}", f"10.0.0.{index + 1}") for index in range(nodes))
    return Cluster("c", members, "10.0.0.0/24", None, None)


def counts(nodes: int, ranks: int) -> list[int]:
    return [count for _, count in made(nodes).placement(ranks)]


def test_ranks_are_placed_in_blocks_as_even_as_can_be() -> None:
    assert counts(4, 32) == [8, 8, 8, 8]
    assert counts(4, 10) == [3, 3, 2, 2]
    assert counts(4, 3) == [1, 1, 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1gbit", 125_000_000),
        ("2.5Gbit", 312_500_000),
        ("200mbit", 25_000_000),
        ("64kbit", 8_000),
        ("800bit", 100),
    ],
)
def test_rate_in_bytes(text: str, expected: int) -> None:
    assert parse_rate(text) == Rate(text.lower(), expected)


@pytest.mark.parametrize("text", ["fast", "1", "1gb", "-1gbit", "1gbit/s", "gbit"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(HeadraceError, match="is not a rate"):
        parse_rate(text)


def test_open_mpi_starts_on_the_first_node_and_reaches_others_by_the_agent() -> None:
    words = launch_command(Request(["./a"], Mpi.openmpi, None, 6, cluster=made(4))).words
    assert words[:5] == [f"{FOLDER}/enter", "node0", "/bin/mpirun.openmpi", "-n", "6"]
    assert words[words.index("plm_rsh_agent") + 1] == f"{FOLDER}/agent"
    assert words[words.index("--host") + 1] == "node0:2,node1:2,node2:1,node3:1"
    assert words[-1] == "./a"


@pytest.mark.parametrize(("ranks", "yields"), [(4, "0"), (5, "1")])
def test_open_mpi_yields_where_all_nodes_together_have_more_ranks_than_cores(
    ranks: int, yields: str
) -> None:
    words = launch_command(Request(["./a"], Mpi.openmpi, None, ranks, cluster=made(4))).words
    assert words[words.index("mpi_yield_when_idle") + 1] == yields


def test_mpich_is_kept_to_the_links_and_finishes() -> None:
    command = launch_command(Request(["./a"], Mpi.mpich, None, 2, cluster=made(2)))
    assert command.words[command.words.index("-launcher-exec") + 1] == f"{FOLDER}/agent"
    assert command.words[-3:] == ["env", "LD_PRELOAD=/lib/finish.so", "./a"]
    assert command.environment["UCX_TLS"] == "tcp,self"


def test_cluster_that_is_not_up_is_told_how_to_be() -> None:
    with pytest.raises(HeadraceError, match="up --nodes 4 --name nowhere"):
        require_cluster("nowhere")


@pytest.mark.parametrize(
    ("name", "nodes", "complaint"),
    [("a/b", 2, "may only hold"), ("", 2, "may only hold"), ("a", 201, "between 1 and 200")],
)
def test_what_cannot_be_a_cluster_is_refused(name: str, nodes: int, complaint: str) -> None:
    with pytest.raises(HeadraceError, match=complaint):
        bring_up(name, nodes)


def test_without_root_there_is_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools.os, "geteuid", lambda: 1000)
    with pytest.raises(HeadraceError, match="needs root"):
        bring_up("a", 2)


def test_missing_tools_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools.os, "geteuid", lambda: 0)
    monkeypatch.setattr(
        tools.shutil, "which", lambda name, path: None if name in ("ip", "tc") else name
    )
    assert tools.why_impossible() == "a cluster needs ip and tc: install iproute2."


def test_forbidden_namespaces_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*words: object) -> str:
        raise HeadraceError(f"{words[0]}: Operation not permitted")

    monkeypatch.setattr(tools.os, "geteuid", lambda: 0)
    monkeypatch.setattr(tools.shutil, "which", lambda name, path: name)
    monkeypatch.setattr(tools, "run_tool", refuse)
    reason = tools.why_impossible()
    assert reason
    assert "CAP_SYS_ADMIN" in reason
    assert "unshare: Operation not permitted" in reason
