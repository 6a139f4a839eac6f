"""Clusters for the tests, under names that no user's has."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headrace.cluster import Cluster, cluster
from headrace.cluster.lifecycle import take_down
from headrace.cluster.tools import why_impossible
from headrace.mpis import Mpi

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "build" / "release" / "tests"
HEADRACE = Path(sys.executable).with_name("headrace")
RATE = "200mbit"

Run = Callable[..., subprocess.CompletedProcess[str]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = why_impossible()
    if reason:
        for item in items:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="module")
def nodes() -> Iterator[Cluster]:
    """Four nodes, for all tests of a file."""
    with cluster(4, RATE) as made:
        yield made


@pytest.fixture
def name() -> Iterator[str]:
    """Of a cluster that the test may bring up; it is gone afterwards."""
    chosen = f"tests-{os.getpid()}"
    yield chosen
    take_down(chosen)


@pytest.fixture
def headrace() -> Run:
    """Runs the command with these arguments to its end."""

    def run(*words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        answer = subprocess.run(
            [str(word) for word in (HEADRACE, *words)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        if check:
            assert answer.returncode == 0, answer.stdout + answer.stderr
        return answer

    return run


@pytest.fixture
def run_on(headrace: Run, nodes: Cluster, mpi: Mpi) -> Run:
    """Runs a program of build/release/tests, built for the MPI of the test, on the nodes."""

    def run(ranks: int, options: list[object], program: str, *arguments: object) -> str:
        path = PROGRAMS / f"{program}_{mpi}"
        where = ["--name", nodes.name, "-n", ranks]
        return headrace("cluster", "run", *where, *options, "--", path, *arguments).stdout

    return run
