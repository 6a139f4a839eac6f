"""The oracle of tests/mpi/random_views and programs of tests/mpi/peers_defects on real nodes;
elsewhere make-believe ones serve."""

import json
from pathlib import Path

import pytest

from conftest import PROGRAMS, Run
from headrace.cluster import Cluster

# Ranks, method, cases, seed. Nodes with a rank each, with several, and with unequal numbers.
RUNS = [
    (4, "two_phase", 40, 101),
    (4, "tam", 40, 102),
    (7, "two_phase", 40, 103),
    (8, "tam", 60, 104),
    (13, "tam", 30, 105),
    (6, "auto", 40, 106),
]


def totals(report: Path) -> dict[str, int]:
    """Over all files of the report: calls, by whom they were served, and messages."""
    counters = [json.loads(line)["counters"] for line in report.read_text().splitlines()]
    keys = ("write_calls", "read_calls", "messages")
    return {key: sum(each[key] for each in counters) for key in keys}


@pytest.mark.parametrize(("ranks", "method", "cases", "seed"), RUNS)
def test_random_calls_give_what_the_oracle_gives(
    run_on: Run, nodes: Cluster, tmp_path: Path, ranks: int, method: str, cases: int, seed: int
) -> None:
    report = tmp_path / "report.json"
    told = run_on(
        ranks,
        ["--method", method, "--report", report],
        "mpi/random_views/random_views",
        *["--method", method, "--cases", cases, "--seed", seed],
        *["--directory", nodes.shared_folder],
    )
    assert f"{cases} cases, 0 failed" in told
    assert min(totals(report).values()) > 0


# Programs that know themselves what must come out.
DEFECTS = [
    "dev_full",
    "gap_in_memory",
    "hole_past_end",
    "missing_file",
    "read_only_file",
    "read_past_end",
]


@pytest.mark.parametrize("program", DEFECTS)
def test_defect_of_the_peers_is_not_there(
    run_on: Run, nodes: Cluster, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setenv("HEADRACE_TEST_DIR", str(nodes.shared_folder))
    run_on(8, ["--method", "tam"], f"mpi/peers_defects/{program}")


def test_error_of_any_call_on_any_node_reaches_all(
    run_on: Run, nodes: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADRACE_TEST_DIR", str(nodes.shared_folder))
    monkeypatch.setenv("LD_PRELOAD", str(PROGRAMS / "mpi" / "libfaulty_io.so"))
    run_on(8, ["--method", "tam"], "mpi/peers_defects/every_kth_call_fails")
