"""What the terminal shows of a benchmark."""

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table

from headrace.bench.figures import OPERATIONS
from headrace.bench_format import (
    PHASES,
    TOTAL,
    Bench,
    CallFigures,
    Figures,
    FloorFigures,
    Operation,
    Subject,
)
from headrace.tables import plain_table

# The counters of the table, and what they are called there.
_COUNTERS = {
    "requests_before": "requests, of all ranks",
    "requests_after": "after local aggregation",
    "messages": "messages between nodes",
    "message_bytes": "bytes between nodes",
    "pre_reads": "pre-reads",
}


_HEADERS = (
    "median\nms",
    "min-max\nms",
    "\nMB/s",
    "to best\npeer",
    "to\nfloor",
    "1st call\nms",
    "later\nms",
)


_SCHEDULE_HEADERS = (
    "planned\ndone, t",
    "planned\nreturn, t",
    "measured\nreturn, t",
    "\ndifference",
    "planned\nslowest, t",
    "measured\nslowest, t",
)


def show(bench: Bench, console: Console) -> None:
    console.print(Group(*_parts(bench)))


def _parts(bench: Bench) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if "schedules" in bench:
        parts += [part for each in OPERATIONS for part in _schedules(bench, each)]
    for operation in OPERATIONS if "schedules" not in bench else ():
        if any(operation in subject for subject in bench["subjects"]):
            parts += [_speeds(bench, operation), ""]
        methods = [subject for subject in bench["subjects"] if _measured(subject, operation)]
        if methods:
            parts += [_phases(methods, operation), ""]
    for subject in bench["subjects"]:
        if subject["message"]:
            parts.append(f"{_name(subject)} {subject['message']}.")
    return [*parts, _footnote(bench)]


def _schedules(bench: Bench, operation: Operation) -> list[RenderableType]:
    """Response times, measured beside planned."""
    rows = bench["schedules"].get(operation)
    if not rows:
        return []
    table = plain_table(title=_title(bench, operation))
    table.add_column("schedule", no_wrap=True)
    for header in _SCHEDULE_HEADERS:
        table.add_column(header, justify="right", no_wrap=True)
    for row in rows:
        planned, measured = row["planned"], row["measured"]
        averages = [planned["average"], planned["average_return"], measured["average"]]
        slowest = [planned["slowest"], measured["slowest"]]
        cells = [f"{time:.2f}" for time in averages + slowest]
        table.add_row(row["schedule"], *cells[:3], f"{row['difference']:+.1%}", *cells[3:])
    return [table, ""]


def _speeds(bench: Bench, operation: Operation) -> Table:
    table = plain_table(title=_title(bench, operation))
    table.add_column("", no_wrap=True)
    for header in _HEADERS:
        table.add_column(header, justify="right", no_wrap=True)
    for kind in ("method", "peer"):
        for subject in filter(lambda each: each["kind"] == kind, bench["subjects"]):
            cells = _speed_cells(subject[operation]) if operation in subject else []
            table.add_row(_name(subject), *cells)
        table.add_section()
    for name, floor in bench["floors"].items():
        if floor and operation in floor:
            table.add_row(f"floor: {name}", *_floor_cells(floor[operation]))
    return table


def _title(bench: Bench, operation: Operation) -> str:
    work = bench["workload"]
    size = work["bytes_per_call"] * work["calls"] / 1e6
    nodes = f" on {work['nodes']} nodes" if work["nodes"] > 1 else ""
    return (
        f"{work['name']}: {operation} {size:,.1f} MB in {work['calls']} calls by "
        f"{work['ranks']} ranks{nodes}"
    )


def _name(subject: Subject) -> str:
    return subject["name"] + ("*" if subject["message"] else "")


def _speed_cells(found: CallFigures) -> list[str]:
    whole, first, later = found["whole"], found["first_call"], found["later_calls"]
    return [
        *_times(whole),
        _ratio(whole["ratio_to_best_peer"], "x"),
        _ratio(whole["ratio_to_floor"], ""),
        _ms(first["median"]),
        _ms(later["median"]) if later else "-",
    ]


def _floor_cells(floor: FloorFigures | dict[str, float]) -> list[str]:
    if "seconds" in floor:  # the network's: worked out, not measured
        return [_ms(floor["seconds"])]
    return [*_times(floor["whole"]), "", "", "", _ms(floor["call"]["median"])]


def _times(found: Figures) -> list[str]:
    return [
        _ms(found["median"]),
        f"{_ms(found['min'])}-{_ms(found['max'])}",
        f"{found['bandwidth'] / 1e6:,.0f}",
    ]


def _ms(value: float) -> str:
    return f"{value * 1e3:.1f}" if value < 0.1 else f"{value * 1e3:.0f}"


def _ratio(value: float | None, mark: str) -> str:
    return "-" if value is None else f"{value:.2f}{mark}"


def _measured(subject: Subject, operation: Operation) -> bool:
    return operation in subject.get("timers", {})


def _phases(methods: Sequence[Subject], operation: Operation) -> Table:
    """Of the last run: where the time went, as the mean of the ranks and of the aggregators."""
    title = f"{operation}: ms in each phase, mean rank / mean aggregator"
    table = plain_table(title=title)
    table.add_column("")
    for subject in methods:
        table.add_column(subject["name"], justify="right")
    for phase in (*PHASES, TOTAL):
        if phase == TOTAL:
            table.add_section()
        table.add_row(phase, *(_phase(subject, operation, phase) for subject in methods))
    table.add_section()
    for counter, title in _COUNTERS.items():
        counts = [subject["counters"][operation][counter] for subject in methods]
        table.add_row(title, *(f"{count:,}" for count in counts))
    return table


def _phase(subject: Subject, operation: Operation, phase: str) -> str:
    timers = subject["timers"][operation]
    means = [timers[group][phase]["mean"] * 1e3 for group in ("ranks", "aggregators")]
    return f"{means[0]:.1f} / {means[1]:.1f}"


_VERIFIED = "Every file and every buffer was compared with the workload, byte by byte."
_CUT_SHORT = "It was cut short."


def _footnote(bench: Bench) -> str:
    return _of_schedules(bench) if "schedules" in bench else _of_speeds(bench)


def _of_schedules(bench: Bench) -> str:
    schedules = bench["schedules"]
    sentences = [
        f"Medians of {bench['repeat']} runs that took turns. A rank's response time is from its "
        "call to its return; a run's first call is left out. Averages are over all ranks: their "
        "data is done, and aggregators have served all their windows and return.",
        f"t is {schedules['stripe_seconds'] * 1e3:g} ms, which a stripe of "
        f"{schedules['stripe_bytes']:,} bytes takes at one of {schedules['osts']} targets of a "
        "modelled storage.",
        _VERIFIED,
    ]
    if not bench["complete"]:
        sentences.append(_CUT_SHORT)
    return " ".join(sentences)


def _of_speeds(bench: Bench) -> str:
    machine, cores = bench["machine"], bench["machine"]["cores"]
    sentences = [
        f"Medians of {bench['repeat']} runs that took turns, from open to close of a new file, on "
        f"{cores} cores, in {machine['folder']} ({machine['file_system']}).",
        _VERIFIED,
        f"Floors: the same bytes written contiguously, or copied in memory, by {cores} processes.",
    ]
    if bench["workload"]["nodes"] > 1 and bench["cluster"] is None:
        sentences.append(
            "The nodes are make-believe: peers see one, Headrace does the work of several."
        )
    if not bench["complete"]:
        sentences.append(_CUT_SHORT)
    return " ".join(sentences)
