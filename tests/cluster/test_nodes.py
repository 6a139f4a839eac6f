"""What programs find on the nodes: who shares memory with whom, and what messages cost."""

import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from conftest import Run
from headrace.cluster import Cluster, parse_rate
from headrace.cluster.rate import Rate
from headrace.mpis import Mpi


def hosts_of_ranks(output: str) -> dict[int, tuple[str, int]]:
    """By rank: its host, and how many ranks MPI says are on its node."""
    found = re.findall(r"^(\d+) (\S+) \d+ of (\d+)$", output, re.MULTILINE)
    return {int(rank): (host, int(ranks)) for rank, host, ranks in found}


@pytest.mark.parametrize("options", [["--without"], ["--method", "tam"]])
def test_mpi_sees_a_node_for_each_namespace(run_on: Run, options: list[str]) -> None:
    ranks = hosts_of_ranks(run_on(8, options, "cluster/cluster_nodes"))
    assert ranks == {rank: (f"node{rank // 2}", 2) for rank in range(8)}


def test_first_nodes_get_what_does_not_divide(run_on: Run) -> None:
    ranks = hosts_of_ranks(run_on(6, ["--without"], "cluster/cluster_nodes"))
    assert Counter(host for host, _ in ranks.values()) == {
        "node0": 2, "node1": 2, "node2": 1, "node3": 1
    }  # fmt: skip


def test_without_a_number_there_is_a_rank_on_each_node(
    headrace: Run, nodes: Cluster, mpi: Mpi
) -> None:
    where = ["--name", nodes.name, "--mpi", mpi, "--without"]
    told = headrace("cluster", "run", *where, "--", "hostname").stdout
    assert sorted(told.split()) == ["node0", "node1", "node2", "node3"]


def link_seconds(rate: Rate, size: int) -> float:
    """The least a message of `size` bytes takes, when the link lets a burst of them through."""
    return (size - rate.burst_bytes) / rate.bytes_per_second


def test_messages_are_no_faster_than_the_links(run_on: Run, nodes: Cluster) -> None:
    size = 8_000_000
    told = run_on(4, ["--without"], "cluster/cluster_transfer", size)
    seconds = {way: float(took) for way, took in re.findall(r"^(\w+) ([\d.]+)$", told, re.M)}
    assert nodes.rate
    least = link_seconds(nodes.rate, 3 * size)
    assert min(seconds["in"], seconds["out"]) >= least


def test_link_of_another_rate_is_another(run_on: Run, headrace: Run, mpi: Mpi, name: str) -> None:
    """So that the test above cannot pass because something else is slow."""
    headrace("cluster", "up", "--nodes", 4, "--rate", "1gbit", "--name", name)
    where = ["--name", name, "-n", 4, "--without"]
    program = Path(__file__).parents[2] / f"build/release/tests/cluster/cluster_transfer_{mpi}"
    told = headrace("cluster", "run", *where, "--", program, 8_000_000).stdout
    seconds = [float(took) for took in re.findall(r" ([\d.]+)$", told, re.M)]
    assert min(seconds) >= link_seconds(parse_rate("1gbit"), 24_000_000)


def run_shell(nodes: Cluster, script: str) -> list[str]:
    """What `script` prints on each of the nodes, in order."""
    return [
        subprocess.run(
            [nodes.enter, node.name, "sh", "-c", script], capture_output=True, text=True, check=True
        ).stdout.strip()
        for node in nodes.nodes
    ]


def test_files_of_the_shared_folder_are_on_all_nodes_and_outside(nodes: Cluster) -> None:
    run_shell(nodes, f"hostname >> {nodes.shared_folder}/hosts")
    assert (nodes.shared_folder / "hosts").read_text().split() == [
        node.name for node in nodes.nodes
    ]


def test_folders_in_dev_shm_are_everyones_and_files_there_the_nodes_own(nodes: Cluster) -> None:
    folder = Path(tempfile.mkdtemp(dir="/dev/shm", prefix="folder with a space."))
    try:
        run_shell(nodes, f"hostname >> '{folder}/hosts'; echo > /dev/shm/own-$(hostname)")
        assert (folder / "hosts").read_text().split() == [node.name for node in nodes.nodes]
        assert list(Path("/dev/shm").glob("own-node*")) == []
    finally:
        shutil.rmtree(folder)


def test_folder_in_dev_shm_may_disappear_while_a_program_starts(
    nodes: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(tempfile.mkdtemp(dir="/dev/shm", prefix="short-lived."))
    script = f"""#!/bin/sh
case "$2" in *short-lived*) rmdir "$2";; esac
exec {shutil.which("mount")} "$@"
"""
    (tmp_path / "mount").write_text(script)
    (tmp_path / "mount").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert run_shell(nodes, f"test -e {folder} || echo gone")[0] == "gone"


def test_nodes_know_each_other_by_name_and_nobody_else(nodes: Cluster) -> None:
    addresses = [node.address for node in nodes.nodes]
    for node in nodes.nodes:
        assert run_shell(nodes, f"getent hosts {node.name}")[0].split()[0] == node.address
    assert run_shell(nodes, "ip -o -4 address | grep -o '10[.][0-9.]*' || true")[0] != ""
    assert all(
        set(routes.split("\n")[0].split()) >= {"dev", "eth0", address} and "\n" not in routes
        for routes, address in zip(run_shell(nodes, "ip route"), addresses, strict=True)
    )


def test_slurm_of_the_caller_is_not_the_nodes(
    headrace: Run, nodes: Cluster, mpi: Mpi, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("SLURM_JOB_ID", "SLURM_JOBID", "SLURM_NNODES", "SLURM_NODELIST"):
        monkeypatch.setenv(key, "1")
    where = ["--name", nodes.name, "--mpi", mpi, "--without"]
    told = headrace("cluster", "run", *where, "--", "sh", "-c", "echo $SLURM_JOB_ID-").stdout
    assert told.split() == ["-"] * 4


def test_exit_status_is_the_programs(headrace: Run, nodes: Cluster, mpi: Mpi) -> None:
    words = ["--name", nodes.name, "-n", 1, "--mpi", mpi, "--without", "--", "sh", "-c", "exit 3"]
    assert headrace("cluster", "run", *words, check=False).returncode == 3
