"""Clusters come up, go down, and leave nothing behind, whatever happens to them meanwhile."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import HEADRACE, Run
from headrace.cluster import Cluster, bring_up, find_cluster, lifecycle, network, take_down
from headrace.cluster.description import NAMESPACES
from headrace.errors import HeadraceError
from headrace.mpis import Mpi


def namespaces(cluster: Cluster) -> list[Path]:
    kinds = [cluster.namespace(node, kind) for node in cluster.nodes for kind in NAMESPACES]
    return [cluster.switch, *kinds]


def interfaces() -> set[str]:
    return {link.name for link in Path("/sys/class/net").iterdir()}


def mounts() -> set[str]:
    """The places of all mounts, and the namespaces that are mounted."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {word for line in lines for word in line.split()[3:5]}


def namespaces_of_processes() -> set[str]:
    found = set()
    for file in Path("/proc").glob("[0-9]*/ns/*"):
        with contextlib.suppress(OSError):  # the process has ended
            found.add(str(file.readlink()))
    return found


class Watch:
    """Knows what there was of a cluster, and asserts that nothing is left of it."""

    def __init__(self, cluster: Cluster) -> None:
        self.folder = cluster.folder
        self.namespaces = {f"{file.name}:[{file.stat().st_ino}]" for file in namespaces(cluster)}
        self.switch = os.open(cluster.switch, os.O_RDONLY)

    def assert_gone(self) -> None:
        assert not self.folder.exists()
        assert not [place for place in mounts() if Path(place).is_relative_to(self.folder)]
        assert not self.namespaces & mounts()
        assert not self.namespaces & namespaces_of_processes()
        assert self.ports() == []

    def ports(self) -> list[str]:
        """What is joined to the switch, whose namespace lasts as long as it is watched: the ends
        of links disappear with the nodes' namespaces, soon after these."""
        for _ in range(100):
            told = subprocess.run(
                ["nsenter", f"--net=/proc/self/fd/{self.switch}", "ls", "/proc/sys/net/ipv4/conf"],
                pass_fds=[self.switch],
                capture_output=True,
                text=True,
                check=True,
            ).stdout.split()
            ports = [name for name in told if name.startswith("port")]
            if not ports:
                break
            time.sleep(0.1)
        os.close(self.switch)
        return ports


@pytest.fixture(autouse=True)
def host_keeps_its_interfaces() -> Iterator[None]:
    before = interfaces()
    yield
    assert interfaces() == before


def test_down_leaves_nothing(headrace: Run, name: str) -> None:
    headrace("cluster", "up", "--nodes", 3, "--rate", "1gbit", "--name", name)
    cluster = find_cluster(name)
    assert cluster
    watch = Watch(cluster)
    assert watch.namespaces <= mounts()
    headrace("cluster", "down", "--name", name)
    watch.assert_gone()


def test_many_in_a_row(name: str) -> None:
    for count in (1, 4, 2):
        watch = Watch(bring_up(name, count, "1gbit"))
        assert take_down(name)
        watch.assert_gone()
    assert not take_down(name)


def test_several_at_once(headrace: Run, name: str) -> None:
    first, second = bring_up(name, 2), bring_up(f"{name}2", 3, "10mbit")
    try:
        told = headrace("cluster", "status").stdout
        assert f"{name}: 2 nodes, links of no given rate" in told
        assert f"{name}2: 3 nodes, links of 10mbit" in told
        watch = Watch(first)
        take_down(name)
        watch.assert_gone()
    finally:
        watch = Watch(second)
        take_down(second.name)
    watch.assert_gone()


def test_one_that_is_up_already_stays_up(headrace: Run, name: str) -> None:
    made = bring_up(name, 2)
    answer = headrace("cluster", "up", "--nodes", 3, "--name", name, check=False)
    assert answer.returncode == 2
    assert "is up already" in answer.stderr
    assert find_cluster(name) == made


def test_nothing_is_left_of_one_that_cannot_be_had(headrace: Run, name: str) -> None:
    """tc refuses this rate, when the nodes are there already."""
    answer = headrace("cluster", "up", "--nodes", 2, "--rate", "1bit", "--name", name, check=False)
    assert answer.returncode == 2
    assert "tc qdisc add" in answer.stderr
    assert f"/run/headrace/{name}" not in mounts()
    assert not Path("/run/headrace", name).exists()


def run_to_its_death(code: str) -> None:
    """Runs `code`, in which die() kills the process."""
    start = "import os, signal\nfrom headrace.cluster import bring_up, cluster, lifecycle\n"
    die = "def die(*_):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    answer = subprocess.run([sys.executable, "-c", start + die + code], check=False)
    assert answer.returncode == -signal.SIGKILL


def test_remains_of_a_killed_up_are_removed_by_the_next(headrace: Run, name: str) -> None:
    run_to_its_death(f"lifecycle.save = die\nbring_up({name!r}, 2)")
    assert f"/run/headrace/{name}/node1/net" in mounts()
    assert f"{name}:" not in headrace("cluster", "status").stdout
    watch = Watch(bring_up(name, 1))
    assert f"/run/headrace/{name}/node1" not in mounts()
    take_down(name)
    watch.assert_gone()


def test_cluster_of_a_killed_process_is_removed(headrace: Run, name: str) -> None:
    before = mounts()
    run_to_its_death("with cluster(2, '1gbit'):\n    die()")
    left = mounts() - before
    assert left
    headrace("cluster", "down", "--name", name)
    assert not left & mounts()


def test_cluster_of_a_context_ends_with_it() -> None:
    with pytest.raises(ZeroDivisionError), lifecycle.cluster(2) as made:
        watch = Watch(made)
        assert made.shared_folder.is_dir()
        raise ZeroDivisionError
    watch.assert_gone()


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("mpirun_is_killed", [False, True])
def test_down_ends_what_still_runs(name: str, mpi: Mpi, mpirun_is_killed: bool) -> None:
    made = bring_up(name, 2)
    watch = Watch(made)
    words = ["cluster", "run", "--name", name, "--mpi", mpi, "--without", "--"]
    script = f"touch {made.shared_folder}/$(hostname); exec sleep 600"
    program = subprocess.Popen([HEADRACE, *words, "sh", "-c", script], stdin=subprocess.DEVNULL)
    try:
        wait_until(lambda: len(list(made.shared_folder.iterdir())) == 2)
        if mpirun_is_killed:
            program.kill()
            program.wait()
        take_down(name)
        watch.assert_gone()
        program.wait(60)
    finally:
        program.kill()


def test_addresses_are_none_of_the_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    free = network.free_network()
    assert not any(free.overlaps(other) for other in network._networks_of_this_machine())
    monkeypatch.setattr(network, "_CANDIDATES", ("127.0.0.0/8",))
    with pytest.raises(HeadraceError, match="none is left"):
        network.free_network()
