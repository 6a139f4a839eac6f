"""The page's tables: numbers that can be read, copied and checked against the charts."""

from dataclasses import dataclass

from headrace.bench_format import Bench, CallFigures, Figures, Operation, ScheduleFigures, Subject
from headrace.report import quantities as q
from headrace.report.floors import measured_floors
from headrace.report.phases import (
    FAMILIES,
    POPULATIONS,
    SHOWN,
    family_sum,
    timers_of,
)
from headrace.report.runs import runs_of
from headrace.report.subjects import OPERATIONS, remarks


@dataclass(frozen=True)
class Cell:
    """What is shown, and where that is rounded the number itself, which is what is copied."""

    text: str
    value: float | None = None
    is_strong: bool = False
    is_number: bool = False


@dataclass(frozen=True)
class Table:
    """The first cell of a row is its heading."""

    name: str
    caption: str
    headings: list[str]
    rows: list[list[Cell]]
    is_long: bool = False


COUNTERS = {
    "write_calls": "collective writes that Headrace served, one per rank",
    "read_calls": "collective reads that Headrace served, one per rank",
    "host_calls": "collective calls left to the host MPI",
    "two_phase_calls": "served with two_phase",
    "tam_calls": "served with tam",
    "direct_calls": "served with no exchange",
    "small_calls": "served by the last rank to come",
    "plans_reused": "served by the plan of a call before",
    "bytes_written": "bytes of users' data",
    "bytes_read": "bytes of users' data",
    "requests_before": "requests of all ranks",
    "requests_after": "requests left after local aggregation",
    "requests_in_domains": "requests left after merging in the file domains",
    "node_pieces": "a rank's data of one window, moved through shared memory",
    "node_bytes": "bytes through shared memory",
    "messages": "messages between nodes",
    "message_bytes": "bytes in them",
    "storage_writes": "writes issued to the file system",
    "storage_reads": "reads issued to the file system",
    "pre_reads": "reads that only preserve holes",
    "pre_read_bytes": "bytes that they asked for",
    "rounds": "windows served by global aggregators",
}
# A subject, the population, and which of its figures.
_Columns = list[tuple[Subject, str, str]]
_NOTHING = Cell("\N{EN DASH}", is_number=True)


def results_table(subjects: list[Subject], operation: Operation) -> Table:
    headings = ["subject", "MPI", "runs", "median, s", "min, s", "max, s", "MB/s"]
    headings += ["to best peer", "to floor", "remarks"]
    rows = [
        [
            Cell(subject["title"]),
            Cell(subject["mpi"]),
            *_figures_cells(subject[operation]["whole"] if operation in subject else None),
            Cell(remarks(subject)),
        ]
        for subject in subjects
    ]
    caption = (
        f"{operation.capitalize()}, open to close. Ratios are of speed: above 1 is faster than the "
        "best peer; 1 is at the contiguous floor."
    )
    return Table(f"results-{operation}", caption, headings, rows)


def schedules_table(bench: Bench, operation: Operation) -> Table | None:
    schedules = bench.get("schedules")
    if not schedules or operation not in schedules:
        return None
    headings = ["schedule", "planned: data done", "planned: return", "measured: return"]
    headings += ["planned: slowest", "measured: slowest"]
    rows = [[Cell(row["schedule"]), *_schedule_cells(row)] for row in schedules[operation]]
    unit = q.seconds(schedules["stripe_seconds"])
    caption = (
        f"{operation.capitalize()}: response times in t, the {unit} that a stripe takes on the "
        "modelled storage."
    )
    return Table(f"schedules-{operation}", caption, headings, rows)


def _schedule_cells(row: ScheduleFigures) -> list[Cell]:
    planned, measured = row["planned"], row["measured"]
    averages = [planned["average"], planned["average_return"], measured["average"]]
    return [_number(time) for time in (*averages, planned["slowest"], measured["slowest"])]


def calls_table(subjects: list[Subject], operation: Operation) -> Table:
    headings = ["subject"]
    for part in ("first call", "later calls"):
        headings += [f"{part}: {what}" for what in ("median, s", "MB/s", "to best peer")]
    rows = [
        [Cell(subject["title"]), *_calls_cells(subject[operation])]
        for subject in subjects
        if operation in subject
    ]
    caption = f"{operation.capitalize()}, first call and later calls."
    return Table(f"calls-table-{operation}", caption, headings, rows)


def floors_table(bench: Bench) -> Table:
    rows = []
    for operation in OPERATIONS:
        whole = measured_floors(bench, operation, "whole")
        call = measured_floors(bench, operation, "call")
        rows += [_floor_row(f"{name}, {operation}", whole[name], call[name]) for name in whole]
    headings = ["floor", "whole: median, s", "min, s", "max, s", "MB/s", "one call: median, s"]
    return Table("floors", "Floors, measured in the same run.", headings, rows)


def network_table(bench: Bench) -> Table | None:
    network = bench["floors"]["network"]
    if not network:
        return None
    rows = [
        [
            Cell(operation),
            _number(network[operation]["bytes"]),
            _number(network[operation]["even_bytes"]),
            _number(network[operation]["seconds"]),
        ]
        for operation in OPERATIONS
        if operation in network
    ]
    headings = ["network floor", "bytes that must cross", "with even shares", "seconds at the rate"]
    rate = bench["cluster"]["rate"] if bench["cluster"] else "unknown"
    caption = f"Network floor: the bytes that must cross links, over their rate ({rate})."
    return Table("network", caption, headings, rows)


def phases_table(subjects: list[Subject], operation: Operation) -> Table:
    timed = [s for s in subjects if timers_of(s, operation)]
    columns = [(s, over, what) for s in timed for over in POPULATIONS for what in ("mean", "max")]
    headings = ["phase", *(f"{s['name']}: {over}, {what}" for s, over, what in columns)]
    rows = []
    for family in FAMILIES:
        rows.append([Cell(family, is_strong=True), *_family_cells(columns, operation, family)])
        names = [phase.name for phase in SHOWN if phase.family == family]
        rows += [[Cell(name), *_phase_cells(columns, operation, name)] for name in names]
    rows.append([Cell("total", is_strong=True), *_phase_cells(columns, operation, "total")])
    caption = f"Phases of the collective {operation}s of the last run, in seconds."
    return Table(f"phases-table-{operation}", caption, headings, rows)


def counters_table(subjects: list[Subject], operation: Operation) -> Table | None:
    counted = [s for s in subjects if s.get("counters", {}).get(operation)]
    if not counted:
        return None
    columns = [subject["counters"][operation] for subject in counted]
    names = list(dict.fromkeys(name for column in columns for name in column))
    rows = [
        [
            Cell(name),
            *(_number(column[name]) if name in column else _NOTHING for column in columns),
            Cell(COUNTERS.get(name, "")),
        ]
        for name in names
        if any(column.get(name) for column in columns)
    ]
    headings = ["counter", *(subject["title"] for subject in counted), "meaning"]
    caption = f"Counters of the {operation}s of the last run, summed over ranks. Those that are 0 \
everywhere are left out."
    return Table(f"counters-{operation}", caption, headings, rows)


def runs_table(subjects: list[Subject], operation: Operation) -> Table:
    headings = ["subject", "run", "open, s", "calls, s", "close, s", "whole, s", "verified"]
    rows = []
    for subject in subjects:
        for index, run in enumerate(runs_of(subject, operation), start=1):
            times = run[operation]
            calls = Cell(", ".join(q.digits(call) for call in times["calls"]))
            cells = [_number(times["open"]), calls, _number(times["close"])]
            verified = Cell("yes" if run["verified"] else "no")
            head = [Cell(subject["title"]), _number(index)]
            rows.append([*head, *cells, _number(times["whole"]), verified])
    caption = f"Every run of the {operation}s, in the order they were made."
    return Table(f"runs-table-{operation}", caption, headings, rows, is_long=True)


def _number(value: float) -> Cell:
    return Cell(f"{value:,}" if isinstance(value, int) else q.digits(value), value, is_number=True)


def _ratio(value: float | None) -> Cell:
    return _NOTHING if value is None else Cell(q.times(value), value, is_number=True)


def _figures_cells(figures: Figures | None) -> list[Cell]:
    if not figures:
        return [_number(0), *[_NOTHING] * 6]
    return [
        _number(figures["n"]),
        *_time_cells(figures),
        _ratio(figures["ratio_to_best_peer"]),
        _ratio(figures["ratio_to_floor"]),
    ]


def _time_cells(figures: Figures) -> list[Cell]:
    times = [_number(float(figures[key])) for key in ("median", "min", "max")]
    return [*times, _megabytes(figures)]


def _megabytes(figures: Figures) -> Cell:
    return _number(figures["bandwidth"] / 10**6)


def _calls_cells(calls: CallFigures) -> list[Cell]:
    cells = []
    for figures in (calls["first_call"], calls["later_calls"]):
        if figures:
            cells += [_number(float(figures["median"])), _megabytes(figures)]
            cells.append(_ratio(figures["ratio_to_best_peer"]))
        else:
            cells += [_NOTHING] * 3
    return cells


def _floor_row(name: str, whole: Figures, call: Figures) -> list[Cell]:
    return [Cell(name), *_time_cells(whole), _number(float(call["median"]))]


def _family_cells(columns: _Columns, operation: Operation, family: str) -> list[Cell]:
    """Sums of means only: the maxima are of different ranks."""
    sums = [family_sum(timers_of(s, operation)[over], family) for s, over, _ in columns]
    return [
        Cell(q.digits(total), total, is_strong=True, is_number=True) if what == "mean" else _NOTHING
        for total, (_, _, what) in zip(sums, columns, strict=True)
    ]


def _phase_cells(columns: _Columns, operation: Operation, name: str) -> list[Cell]:
    spreads = [timers_of(s, operation)[over].get(name) for s, over, _ in columns]
    return [
        _number(float(spread[what])) if spread else _NOTHING
        for spread, (_, _, what) in zip(spreads, columns, strict=True)
    ]
