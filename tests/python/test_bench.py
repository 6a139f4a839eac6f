"""The benchmark: its figures, its turns, and that a wrong byte is found and named."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from conftest import HEADRACE
from headrace.bench import figures, session
from headrace.bench.runner import Outcome, Task
from headrace.bench.schedules import Planned, schedules_report
from headrace.bench.session import Plan, Session
from headrace.bench.subjects import Subject, Way, schedule_subject
from headrace.bench_format import Run
from headrace.mpis import Mpi

DESCRIPTION = {
    "bytes_per_call": 100,
    "requests_per_call": 7,
    "displacement_stride": 100,
    "header_bytes": 0,
    "calls": 2,
    "nodes": 1,
    "least_bytes_across": 0,
    "even_bytes_across": 0,
}
TAM = Subject("tam", "Headrace tam", "method", Mpi.openmpi, method="tam")
PEER = Subject("ompio", "OMPIO", "peer", Mpi.openmpi)


PLANNED = Planned(
    2,
    0.1,
    [
        {
            "stripe_bytes": 65536,
            "schedules": [
                {
                    "schedule": "offset",
                    "average": average - 1,
                    "average_return": {"write": average, "read": average + 1},
                    "slowest": 8,
                    "reduction": 0.0,
                }
            ],
        }
        for average in (5.0, 7.0)
    ],
)


def run_of(seconds: float, operation: str = "write") -> Run:
    times = {"open": 0.0, "calls": [seconds / 2, seconds / 2], "close": 0.0, "whole": seconds}
    return {operation: times, "verified": True}


def new_session(folder: Path, **more: object) -> Session:
    task = Task("ior", {}, 2, 100, 4, folder)
    return Session(Plan("headrace bench ior", task, [TAM, PEER], 3, 5.0, DESCRIPTION, **more))


def test_figures_are_of_medians() -> None:
    found = figures.call_figures([run_of(1), run_of(4), run_of(2)], "write", 100, 2)
    assert found is not None
    whole = found["whole"]
    assert (whole["median"], whole["min"], whole["max"], whole["n"]) == (2, 1, 4, 3)
    assert whole["bandwidth"] == 100
    assert found["first_call"]["median"] == 1
    assert figures.call_figures([run_of(1)], "read", 100, 2) is None


def test_subjects_take_turns_and_floors_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(
        session, "run_subject", lambda who, _: ran.append(who.name) or Outcome(run_of(1))
    )
    new_session(tmp_path).run(lambda title: None)
    assert ran == ["contiguous", "memcpy", "tam", "ompio"] * 3


def test_slow_peer_is_run_once_and_failed_subject_never_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def run(subject: Subject, _: Task) -> Outcome:
        ran.append(subject.name)
        return Outcome(run_of(6)) if subject is PEER else Outcome(message="broke")

    monkeypatch.setattr(session, "run_subject", run)
    done = new_session(tmp_path)
    done.run(lambda title: None)
    assert ran.count("ompio") == ran.count("tam") == 1
    states = {subject["name"]: subject["state"] for subject in done.bench()["subjects"]}
    assert states == {"tam": "failed", "ompio": "slow"}
    assert done.bench()["best_peer"]["write"] == "ompio"


def test_ratios_are_to_the_best_peer_and_the_floor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {"contiguous": 0.5, "memcpy": 0.1, "tam": 1.0, "ompio": 3.0}
    monkeypatch.setattr(session, "run_subject", lambda who, _: Outcome(run_of(seconds[who.name])))
    done = new_session(tmp_path)
    done.run(lambda title: None)
    tam, peer = done.bench()["subjects"]
    assert tam["write"]["whole"]["ratio_to_best_peer"] == 3
    assert tam["write"]["whole"]["ratio_to_floor"] == 0.5
    assert peer["write"]["whole"]["ratio_to_best_peer"] == 1


def test_what_is_known_is_kept_after_every_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "b.json"
    counts: list[int] = []

    def run(subject: Subject, _: Task) -> Outcome:
        if kept.exists():
            known = json.loads(kept.read_text())
            counts.append(sum(len(each["runs"]) for each in known["subjects"]))
            assert known["complete"] is False
        return Outcome(run_of(1))

    monkeypatch.setattr(session, "run_subject", run)
    new_session(tmp_path, json_file=kept).run(lambda title: None)
    assert counts == [0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5]
    assert json.loads(kept.read_text())["complete"] is True


def scheduled_run(*means: float) -> Run:
    """Of calls with these mean response times, the slowest rank taking twice as long."""
    run = run_of(1)
    run["write"]["responses"] = [{"mean": mean, "slowest": 2 * mean} for mean in means]
    return run


def test_schedules_are_compared_with_the_mean_of_their_plans_but_for_the_first_call() -> None:
    runs = [scheduled_run(99, 0.60, 0.72), scheduled_run(99, 0.1, 0.1), scheduled_run(99, 9, 9)]
    report = schedules_report(PLANNED, {"offset": runs, "best": []})
    assert (report["osts"], report["stripe_bytes"], report["stripe_seconds"]) == (2, 65536, 0.1)
    assert "read" not in report
    (row,) = report["write"]
    assert row["planned"] == {"average": 5, "average_return": 6, "slowest": 8}
    assert row["measured"] == pytest.approx({"average": 6.6, "slowest": 13.2})
    assert row["difference"] == pytest.approx(0.1)


def test_schedules_take_turns_on_the_modelled_storage_without_floors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(
        session,
        "run_subject",
        lambda who, _: ran.append(who.name) or Outcome(scheduled_run(1, 0.5)),
    )
    task = Task("ior", {}, 2, 100, 4, tmp_path)
    offset = schedule_subject("offset", TAM)
    assert (offset.method, offset.hints["headrace_schedule"]) == ("tam", "offset")
    done = Session(Plan("headrace bench ior", task, [offset], 2, 5.0, DESCRIPTION, PLANNED))
    done.run(lambda title: None)
    assert ran == ["offset"] * 2
    assert done.bench()["schedules"]["write"][0]["measured"]["average"] == 5


def test_modelled_storage_is_asked_for_by_hints() -> None:
    assert PLANNED.hints() == {
        "headrace_model_stripe_time": "100000",
        "striping_unit": "65536",
        "striping_factor": "2",
    }


# From here on the real thing, on few ranks.


@pytest.fixture
def bench(mpi: Mpi, tmp_path: Path) -> list[str]:
    return [str(HEADRACE), "bench", "ior", "-n", "2", "--mpi", mpi, "--dir", str(tmp_path)]


def bench_of(words: list[str], status: int = 0) -> str:
    answer = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert answer.returncode == status, answer.stdout + answer.stderr
    return answer.stdout + answer.stderr


def test_methods_and_handmade_are_verified(bench: list[str], tmp_path: Path) -> None:
    kept = tmp_path / "b.json"
    words = [*bench, "--set", "order=strided", "--peers", "handmade", "--repeat", "2", "--read"]
    shown = bench_of([*words, "--json", str(kept)])
    known = json.loads(kept.read_text())
    assert [each["name"] for each in known["subjects"]] == ["auto", "two_phase", "tam", "handmade"]
    for subject in known["subjects"]:
        assert subject["state"] == "ok"
        assert subject["name"] in shown
        assert [run["verified"] for run in subject["runs"]] == [True, True]
        assert subject["read"]["whole"]["n"] == 2
    tam = known["subjects"][2]
    assert tam["counters"]["write"]["tam_calls"] == 2 * known["workload"]["calls"]
    assert tam["timers"]["read"]["ranks"]["total"]["mean"] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.json"]


def test_schedules_are_measured_and_take_no_less_than_their_stripes(
    bench: list[str], tmp_path: Path
) -> None:
    kept = tmp_path / "b.json"
    words = [*bench, "--schedule", "offset,best", "--osts", "2", "--stripe", "128k", "--read"]
    words += ["--stripe-time", "5", "--set", "order=strided", "--repeat", "1", "--json", str(kept)]
    shown = bench_of(words)
    known = json.loads(kept.read_text())
    assert [each["state"] for each in known["subjects"]] == ["ok", "ok"]
    assert known["schedules"]["stripe_seconds"] == 0.005
    assert known["subjects"][0]["counters"]["write"]["rounds"] == 16 * known["workload"]["calls"]
    for operation in ("write", "read"):
        offset, best = known["schedules"][operation]
        assert (offset["schedule"], best["schedule"]) == ("offset", "best")
        assert offset["planned"] == {"average": 7.5, "average_return": 8, "slowest": 8}
        assert (best["planned"]["average"], best["planned"]["average_return"]) == (6, 8)
        assert offset["measured"]["slowest"] > 7
    assert "measured" in shown
    assert "t is 5 ms" in " ".join(shown.split())


@pytest.mark.parametrize("way", [Way.mpi_io, Way.handmade])
def test_wrong_byte_is_named_by_file_offset_and_rank(bench: list[str], way: Way) -> None:
    who = ["--peers", "none", "--methods", "tam"]
    if way is Way.handmade:
        who = ["--peers", "handmade", "--methods", "none"]
    # Rank 1's second block of the second segment.
    words = [*bench, *who, "--repeat", "1", "--set", "order=segmented", "--set", "segments=2"]
    shown = " ".join(bench_of([*words, "--plant-wrong-byte", "3500000"], status=1).split())
    assert "the byte at offset 3500000 of" in shown
    assert ".dat, which is rank 1's, is wrong" in shown


def test_written_hole_is_found(bench: list[str]) -> None:
    words = [*bench[:2], "hacc", *bench[3:], "--peers", "none", "--methods", "tam"]
    words += ["--repeat", "1", "--set", "particles=1000", "--plant-wrong-byte", "77"]
    shown = " ".join(bench_of(words, status=1).split())
    assert "the byte at offset 77 of" in shown
    assert "was written, though it is no rank's" in shown


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_cut_short_it_leaves_valid_json_and_no_process(
    bench: list[str], tmp_path: Path, number: signal.Signals
) -> None:
    kept = tmp_path / "b.json"
    words = [*bench, "--repeat", "1000", "--peers", "none", "--json", str(kept)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True)
    try:
        while not kept.exists():
            time.sleep(0.05)
            assert process.poll() is None
        os.kill(process.pid, number)
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 128 + signal.SIGINT
    assert json.loads(kept.read_text())["complete"] is False
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.json"]
    left = subprocess.run(["pgrep", "-f", str(tmp_path)], capture_output=True, check=False)
    assert not left.stdout


def test_json_that_cannot_be_written_is_said_in_one_sentence(
    bench: list[str], tmp_path: Path
) -> None:
    words = [*bench, "--repeat", "1", "--peers", "none", "--json", str(tmp_path / "no" / "b.json")]
    shown = bench_of(words, status=2)
    assert "cannot be written: No such file or directory" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["no_such"], "no_such"),
        (["btio", "-n", "7"], "square"),
        (["ior", "--set", "nothing=1"], "nothing"),
        (["ior", "--size", "many"], "no size"),
        (["ior", "--methods", "fast"], "no method is called fast"),
        (["ior", "--peers", "fast"], "no peer is called fast"),
        (["ior", "--rate", "1gbit"], "--cluster"),
        (["ior", "--schedule", "fast"], '"fast" is none of offset'),
        (["ior", "--schedule", "mdf", "--methods", "auto"], "one method, tam or two_phase"),
        (["ior", "--schedule", "mdf", "--peers", "handmade"], "compares schedules of one method"),
        (["ior", "--schedule", "mdf", "--stripe", "big"], "is no size"),
        (["ior", "--stripe-time", "5"], "--schedule"),
        (["e3sm", "--map", "/no/such.nc"], "/no/such.nc"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_sentence(words: list[str], told: str) -> None:
    shown = bench_of([str(HEADRACE), "bench", *words], status=2)
    assert told in shown
    assert "Traceback" not in shown


def test_workloads_are_listed() -> None:
    shown = bench_of([str(HEADRACE), "bench", "--list"])
    for name in ("e3sm", "btio", "s3d", "hacc", "gcrm", "lattice", "uneven", "random", "ior"):
        assert name in shown
