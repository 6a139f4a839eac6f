"""What `headrace report` reads, refuses and says; how its page looks is in test_report_page.py."""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from headrace.bench_format import PHASES, Bench
from headrace.errors import HeadraceError
from headrace.report import quantities as q
from headrace.report import verdict
from headrace.report.bandwidths import whole_chart
from headrace.report.page import page_of, sections, write_report
from headrace.report.phases import SHOWN, phase_chart
from headrace.report.reading import read_bench
from headrace.report.subjects import fastest_first
from headrace.report.tables import COUNTERS
from test_command import headrace

FIXTURES = Path(__file__).parent / "fixtures"
NAMES = ["full", "cut_short", "cluster", "single_run"]


def fixture(name: str) -> Path:
    return FIXTURES / f"bench_{name}.json"


@pytest.fixture
def full() -> Bench:
    return read_bench(fixture("full"))


def subject(bench: Bench, name: str) -> dict:
    return next(subject for subject in bench["subjects"] if subject["name"] == name)


def test_command_writes_the_page_beside_the_bench(tmp_path: Path) -> None:
    source = tmp_path / "bench.json"
    source.write_text(fixture("full").read_text())
    answer = headrace("report", source)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == f"{tmp_path}/bench.html\n"
    assert (tmp_path / "bench.html").read_text().startswith("<!DOCTYPE html>")


def damaged(change: Callable[[dict], object]) -> str:
    parsed = json.loads(fixture("full").read_text())
    change(parsed)
    return json.dumps(parsed)


BROKEN = {
    "cannot be read: No such file": None,
    "not JSON: Expecting value": '{"format": ',
    "not JSON: 'utf-8' codec": b"\xff\xfe",
    "NaN is no number of JSON": '{"format": NaN}',
    "it has no format": "[1, 2]",
    "its format is 2, this headrace reads format 1": damaged(lambda b: b.update(format=2)),
    "machine.cores is missing": damaged(lambda b: b["machine"].pop("cores")),
    "subjects[0].runs[1].write.calls[0] is not a number": damaged(
        lambda b: b["subjects"][0]["runs"][1]["write"]["calls"].__setitem__(0, "fast")
    ),
    "subjects[2].state is 'odd', not one of ok, slow, failed": damaged(
        lambda b: b["subjects"][2].update(state="odd")
    ),
    "workload.ranks is not a whole number": damaged(lambda b: b["workload"].update(ranks=True)),
    "subjects[1].write.whole.min is not above 0": damaged(
        lambda b: b["subjects"][1]["write"]["whole"].update(min=0)
    ),
    "subjects[0].runs[0].read.whole is not above 0": damaged(
        lambda b: b["subjects"][0]["runs"][0]["read"].update(whole=-1.5)
    ),
}


@pytest.mark.parametrize("message", BROKEN)
def test_what_is_no_bench_is_one_sentence_with_the_path(message: str, tmp_path: Path) -> None:
    source, text = tmp_path / "bench.json", BROKEN[message]
    if text is not None:
        source.write_bytes(text if isinstance(text, bytes) else text.encode())
    answer = headrace("report", source)
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"headrace: {source}: ")
    assert message in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert not source.with_suffix(".html").exists()


def test_what_later_versions_add_is_let_through(full: Bench, tmp_path: Path) -> None:
    source = tmp_path / "bench.json"
    source.write_text(json.dumps(full | {"weather": "fine"}))
    assert read_bench(source)["repeat"] == 5


def test_a_page_never_replaces_its_data(tmp_path: Path) -> None:
    source = tmp_path / "bench.html"
    source.write_text(fixture("full").read_text())
    with pytest.raises(HeadraceError, match="would replace its own data"):
        write_report(source, source)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    target = tmp_path / "none" / "page.html"
    with pytest.raises(HeadraceError, match="none/page.html: cannot be written: No such file"):
        write_report(fixture("full"), target)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "full",
            "Headrace writes s3d at 4.09\N{MULTIPLICATION SIGN} the speed of the best peer, "
            "and reads it at 3.83\N{MULTIPLICATION SIGN} the speed of the best peer",
        ),
        (
            "cluster",
            "Headrace writes s3d at 0.957\N{MULTIPLICATION SIGN} the speed of the best peer",
        ),
        ("single_run", "Headrace writes ior at 1.83\xa0GB/s with no peer beside it"),
    ],
)
def test_headline(name: str, said: str) -> None:
    assert verdict.headline(read_bench(fixture(name))) == said


def sentences(bench: Bench) -> str:
    return " ".join(verdict.verdicts(bench)[0].sentences).replace("\xa0", " ")


def test_who_is_behind_is_said(full: Bench) -> None:
    cluster = read_bench(fixture("cluster"))
    assert "Headrace is behind." in sentences(cluster)
    assert "of what the links between the nodes allow" in sentences(cluster)
    assert "Headrace is behind." not in sentences(full)
    assert "Behind the best peer: Headrace two_phase (0.696" in sentences(full)


def test_overlapping_runs_are_called_noise(full: Bench) -> None:
    assert "noise" not in verdict.headline(full)
    subject(full, "tam")["write"]["whole"]["max"] = 1.6
    assert "the best peer (within the noise), and reads" in verdict.headline(full)
    assert "The ranges of their runs overlap" in sentences(full)


def test_a_single_run_says_nothing_of_noise() -> None:
    assert "nothing is known of the noise" in sentences(read_bench(fixture("single_run")))


@pytest.mark.parametrize("how", ["failed", "unverified"])
def test_no_headline_from_figures_that_cannot_be_trusted(full: Bench, how: str) -> None:
    for name in ("tam", "auto"):
        if how == "failed":
            subject(full, name)["state"] = "failed"
        else:
            subject(full, name)["runs"][3]["verified"] = False
    assert "Headrace writes s3d at 0.696" in verdict.headline(full)


def test_nothing_to_trust_is_said(full: Bench) -> None:
    full["subjects"] = [s for s in full["subjects"] if s["kind"] == "peer"]
    assert verdict.headline(full) == "s3d: no method of Headrace was measured and verified"
    page_of(full)


def test_a_bench_that_measured_nothing_has_a_page(full: Bench) -> None:
    full["subjects"], full["complete"] = [], False
    full["floors"] = {"contiguous": None, "memcpy": None, "network": None}
    assert "Nothing was measured." in page_of(full)


def test_bars_are_the_bandwidths_and_whiskers_the_runs(full: Bench) -> None:
    (bars,) = whole_chart(full, fastest_first(full), "write").figure.data
    figures = subject(full, "tam")["write"]["whole"]
    file_bytes = 4 * 268435456
    assert bars.x[0] == pytest.approx(figures["bandwidth"] / 1e9)
    fastest, slowest = file_bytes / figures["min"] / 1e9, file_bytes / figures["max"] / 1e9
    assert bars.x[0] + bars.error_x.array[0] == pytest.approx(fastest, rel=1e-3)
    assert bars.x[0] - bars.error_x.arrayminus[0] == pytest.approx(slowest, rel=1e-3)


def test_floor_too_far_out_is_told_and_not_drawn() -> None:
    bench = read_bench(fixture("cluster"))
    chart = whole_chart(bench, fastest_first(bench), "write")
    assert len(chart.figure.layout.shapes) == 1
    lines = [entry.text for entry in chart.key if entry.line]
    assert [line.endswith("off the axis") for line in lines] == [True, True, False]
    assert lines[2].startswith("network floor")


def test_phases_add_up_in_each_bar(full: Bench) -> None:
    figure = phase_chart(fastest_first(full), "write").figure
    total = subject(full, "tam")["timers"]["write"]["ranks"]["total"]["mean"]
    assert sum(trace.x[0] for trace in figure.data) == pytest.approx(total, rel=0.01)
    assert [phase.name for phase in SHOWN] == list(PHASES)


def test_every_section_is_there(full: Bench) -> None:
    names = [section.name for section in sections(full)]
    assert names == ["bandwidth", "calls", "phases", "counters", "runs", "floors"]


def test_markup_of_the_bench_is_shown_and_not_obeyed(full: Bench) -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    bench = copy.deepcopy(full)
    bench["command"] = bench["machine"]["cpu"] = bench["workload"]["name"] = hostile
    for each in bench["subjects"]:
        each["title"] = each["message"] = each["mpi"] = hostile
    page = page_of(bench)
    assert "<img" not in page
    assert page.count("</script>") == page_of(full).count("</script>")


def test_every_counter_of_the_engine_has_its_meaning() -> None:
    source = (Path(__file__).parents[2] / "src/report/counters.cpp").read_text()
    names = re.findall(r'"(\w+)"', source.partition("names{")[2])
    assert names
    assert [name for name in names if name not in COUNTERS] == []


def test_digits_are_three_where_they_say_something() -> None:
    shown = [q.digits(value) for value in (0, 0.00012345, 0.0999999, 4.0891, 99.96, 12345.6)]
    assert shown == ["0", "0.000123", "0.100", "4.09", "100", "12,346"]
    assert q.times(0.0049) == "0.0049\N{MULTIPLICATION SIGN}"
    assert q.bandwidth(2.69e9) == "2.69\xa0GB/s"


def test_schedules_have_a_table_of_what_was_planned_and_measured(full: Bench) -> None:
    assert "schedules" not in [section.name for section in sections(full)]
    row = {
        "schedule": "gw_mdf",
        "planned": {"average": 38.0, "average_return": 40.0, "slowest": 60.0},
        "measured": {"average": 41.5, "slowest": 61.25},
        "difference": 0.0375,
    }
    full["schedules"] = {
        "osts": 8,
        "stripe_bytes": 65536,
        "stripe_seconds": 0.02,
        "write": [row],
    }
    section = sections(full)[0]
    assert [table.name for table in section.tables] == ["schedules-write"]
    (cells,) = section.tables[0].rows
    assert [cell.value for cell in cells[1:]] == [38.0, 40.0, 41.5, 60.0, 61.25]
    assert "0.0200\N{NO-BREAK SPACE}s" in section.tables[0].caption
