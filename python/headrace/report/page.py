"""One page that needs no network: what is shown where is in page.html."""

import json
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from headrace.bench_format import Bench, Operation, Subject
from headrace.errors import HeadraceError
from headrace.report import bandwidths, phases, runs, tables, verdict
from headrace.report import quantities as q
from headrace.report.charts import Chart
from headrace.report.reading import read_bench
from headrace.report.subjects import fastest_first, operations_of, remarks
from headrace.report.tables import Table

_FOLDER = files("headrace.report")


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    charts: list[Chart]
    tables: list[Table]


def write_report(source: Path, target: Path) -> None:
    """Raises HeadraceError where source is no bench, or target cannot be written."""
    if target.resolve() == source.resolve():
        raise HeadraceError(f"{target}: the page would replace its own data; choose another -o")
    page = page_of(read_bench(source))
    try:
        target.write_text(page, encoding="utf-8")
    except OSError as error:
        raise HeadraceError(f"{target}: cannot be written: {error.strerror}") from error


def page_of(bench: Bench) -> str:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    scripts = [_script(get_plotlyjs()), _script(_text("page.js"))]
    shown = sections(bench)
    return environment.from_string(_text("page.html")).render(
        bench=bench,
        q=q,
        style=Markup(_text("page.css")),
        scripts=scripts,
        script_sources=" ".join(map(_hash_source, scripts)),
        title=verdict.subject_line(bench),
        headline=verdict.headline(bench),
        measured=verdict.what_was_measured(bench),
        verdicts=verdict.verdicts(bench),
        remarks=[(s["title"], remarks(s)) for s in bench["subjects"] if remarks(s)],
        sections=shown,
        figures={chart.name: _plain(chart) for section in shown for chart in section.charts},
    )


def sections(bench: Bench) -> list[Section]:
    """Those that there is something to show in."""
    subjects, operations = fastest_first(bench), operations_of(bench)
    every = [
        _schedules(bench, operations),
        _results(bench, subjects, operations),
        _calls(bench, subjects, operations),
        _phases(subjects, operations),
        _counters(subjects, operations),
        _runs(subjects, operations),
        _floors(bench),
    ]
    return [section for section in every if section.charts or section.tables]


def _schedules(bench: Bench, operations: list[Operation]) -> Section:
    shown = [tables.schedules_table(bench, operation) for operation in operations]
    return Section("schedules", "Response times", [], [table for table in shown if table])


def _results(bench: Bench, subjects: list[Subject], operations: list[Operation]) -> Section:
    charts = [bandwidths.whole_chart(bench, subjects, operation) for operation in operations]
    shown = [tables.results_table(subjects, operation) for operation in operations]
    return Section("bandwidth", "Bandwidth and ratios", charts, shown)


def _calls(bench: Bench, subjects: list[Subject], operations: list[Operation]) -> Section:
    charts = [bandwidths.calls_chart(bench, subjects, operation) for operation in operations]
    shown = [tables.calls_table(subjects, operation) for operation in operations]
    return Section("calls", "The first call and the later calls", charts, shown)


def _phases(subjects: list[Subject], operations: list[Operation]) -> Section:
    timed = [o for o in operations if any(phases.timers_of(s, o) for s in subjects)]
    charts = [phases.phase_chart(subjects, operation) for operation in timed]
    shown = [tables.phases_table(subjects, operation) for operation in timed]
    return Section("phases", "Where the time goes", charts, shown)


def _counters(subjects: list[Subject], operations: list[Operation]) -> Section:
    shown = [tables.counters_table(subjects, operation) for operation in operations]
    return Section("counters", "Counters", [], [table for table in shown if table])


def _runs(subjects: list[Subject], operations: list[Operation]) -> Section:
    ran = [o for o in operations if any(runs.runs_of(s, o) for s in subjects)]
    charts = [runs.runs_chart(subjects, operation) for operation in ran]
    return Section("runs", "Every run", charts, [tables.runs_table(subjects, o) for o in ran])


def _floors(bench: Bench) -> Section:
    measured, network = tables.floors_table(bench), tables.network_table(bench)
    shown = [table for table in (measured, network) if table and table.rows]
    return Section("floors", "Floors", [], shown)


def _plain(chart: Chart) -> dict[str, object]:
    figure = json.loads(chart.figure.to_json())
    return {"data": figure["data"], "layout": figure["layout"]}


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _script(text: str) -> Markup:
    """Of our own: not escaped. With the line ends that a browser hashes."""
    return Markup(text.replace("\r\n", "\n"))


def _hash_source(script: str) -> str:
    """For the page's Content-Security-Policy: no script but these runs, wherever it came from."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
