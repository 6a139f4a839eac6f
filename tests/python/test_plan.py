"""`headrace plan`: the paper's reductions, what it shows, and that a run counts the same."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from headrace.libraries import find_library
from headrace.mpis import Mpi
from test_command import headrace

PLAN = ["--ranks-per-node", 64, "--schedule", "all"]


def figures(folder: Path, *words: object) -> dict[str, Any]:
    file = folder / "plan.json"
    answer = headrace("plan", *words, "--json", file)
    assert answer.returncode == 0, answer.stderr
    return json.loads(file.read_text())["plan"]


def reductions(plan: dict[str, Any]) -> dict[str, float]:
    return {row["schedule"]: row["reduction"] for row in plan["schedules"]}


def expect_order(plan: dict[str, Any]) -> None:
    """From gw_mdf through best to the lower bound; nobody is later than all windows are served."""
    found = reductions(plan)
    assert found["offset"] == 0
    assert found["gw_mdf"] <= found["best"] <= plan["lower_bound"]["reduction"] + 1e-9
    assert {row["slowest"] for row in plan["schedules"]} == {plan["rounds"]}


@pytest.mark.parametrize("ranks", [128, 2560])
@pytest.mark.parametrize("osts", [8, 40])
def test_uneven_gives_the_papers_30_percent(tmp_path: Path, ranks: int, osts: int) -> None:
    plan = figures(tmp_path, "uneven", "-n", ranks, "--osts", osts, "--set", "scale=1", *PLAN)
    expect_order(plan)
    found = reductions(plan)
    assert all(found[name] >= 0.3 for name in ("mdf", "lw_mdf", "gw_mdf"))
    assert found["best"] == pytest.approx(plan["lower_bound"]["reduction"])


def test_random_gives_the_papers_50_percent(tmp_path: Path) -> None:
    size = ["--set", "size=16GiB", "--set", "piece=8MiB"]
    plan = figures(tmp_path, "random", "-n", 128, "--osts", 8, *size, *PLAN)
    expect_order(plan)
    found = reductions(plan)
    assert abs(found["mdf"]) < 0.02, "the paper's has no noticeable improvement"
    assert found["lw_mdf"] >= 0.5
    assert found["gw_mdf"] >= 0.5


def test_few_bytes_of_one_node_are_small(tmp_path: Path) -> None:
    few = ["ior", "-n", 4, "--set", "block=8", "--set", "transfer=8", "--ranks-per-node"]
    assert figures(tmp_path, *few, 4)["service"] == "small"
    assert figures(tmp_path, *few, 2)["service"] == "tam"


@pytest.mark.parametrize("ranks, level", [(640, 9), (1280, 10), (2560, 11)])
def test_gcrm_gives_the_papers_20_percent(tmp_path: Path, ranks: int, level: int) -> None:
    plan = figures(tmp_path, "gcrm", "-n", ranks, "--osts", 40, "--set", f"level={level}", *PLAN)
    expect_order(plan)
    found = reductions(plan)
    assert found["gw_mdf"] >= 0.195, "the paper's is approximately 20 percent"
    assert found["best"] >= 0.3


def test_two_ranks_counted_by_hand(tmp_path: Path) -> None:
    """Each rank is a node; stripes of 1 MiB that the ranks write in turn: to the aggregators in
    turn, which are the ranks, so that all is at home; and with one aggregator half of it is."""
    words = ["ior", "-n", 2, "--ranks-per-node", 1, "--set", "order=strided"]
    words += ["--set", "transfer=1MiB", "--set", "block=4MiB"]
    plan = figures(tmp_path, *words, "--osts", 2)
    assert plan["layers"] == {
        "requests_before": 8,
        "requests_after": 8,
        "requests_in_domains": 1,
        "messages": 0,
        "list_bytes": 0,
        "data_bytes": 0,
    }
    assert (plan["windows"], plan["rounds"]) == (8, 4)
    assert plan["degree"] == {"min": 1, "mean": 1, "max": 1}
    other = figures(tmp_path, *words, "--osts", 1)
    assert (other["layers"]["messages"], other["layers"]["data_bytes"]) == (4, 4 << 20)
    assert (other["global_aggregators"], other["rounds"]) == (1, 8)


def test_a_later_call_lies_elsewhere_in_the_stripes(tmp_path: Path) -> None:
    """Calls of 1.75 MiB, one behind the other."""
    words = ["ior", "-n", 1, "--osts", 1, "--set", "block=1792KiB"]
    assert figures(tmp_path, *words)["windows"] == 2
    assert figures(tmp_path, *words, "--call", 1)["windows"] == 3


def test_tables_and_chart_are_shown() -> None:
    answer = headrace("plan", "uneven", "-n", 8, "--ranks-per-node", 4, "--osts", 2)
    assert answer.returncode == 0, answer.stderr
    for text in ("messages between nodes", "rounds", "gw_mdf", "best", "lower bound", "█"):
        assert text in answer.stdout


def test_only_the_schedules_named_are_shown(tmp_path: Path) -> None:
    plan = figures(tmp_path, "uneven", "-n", 8, "--schedule", "mdf,best")
    assert list(reductions(plan)) == ["mdf", "best"]


def complaint(*words: object) -> str:
    answer = headrace("plan", *words)
    assert answer.returncode == 2
    assert "Traceback" not in answer.stderr
    return answer.stderr


def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    assert '"mfd" is none of offset, mdf' in complaint("uneven", "-n", 2, "--schedule", "mfd")
    assert '"big" is no size' in complaint("uneven", "-n", 2, "--stripe", "big")
    assert "nope" in complaint("nope", "-n", 2)
    nowhere = tmp_path / "no" / "such"
    assert "cannot be written" in complaint("uneven", "-n", 2, "--json", nowhere)


@pytest.mark.skipif(not find_library(Mpi.openmpi), reason="the Open MPI library is not built")
@pytest.mark.parametrize(
    "workload", [["uneven"], ["random"], ["gcrm", "--set", "level=4"], ["btio", "--set", "edge=16"]]
)
def test_a_run_counts_the_same_requests(
    tmp_path: Path, workload: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the same stripes: what is worth merging differs from window to window."""
    stripes = "headrace_model_stripe_time=1:striping_unit=1048576:striping_factor=8"
    monkeypatch.setenv("HEADRACE_HINTS", f"*:{stripes}")
    words = [*workload, "-n", 4, "--ranks-per-node", 2]
    layers = figures(tmp_path, *words)["layers"]
    file = tmp_path / "bench.json"
    once = ["--methods", "tam", "--peers", "none", "--repeat", 1, "--size", 1, "--json", file]
    answer: subprocess.CompletedProcess[str] = headrace("bench", *words, *once)
    assert answer.returncode == 0, answer.stderr
    counted = json.loads(file.read_text())["subjects"][0]["counters"]["write"]
    for layer in ("requests_before", "requests_after", "requests_in_domains", "messages"):
        assert counted[layer] == layers[layer], layer
