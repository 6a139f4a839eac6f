"""Where the time of Headrace's methods goes, phase by phase: the paper's Fig. 4 to 7, of one call
after the other (two-level aggregation: intra-node, inter-node, I/O)."""

from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go

from headrace.bench_format import PHASES, TOTAL, Operation, Spread, Subject, Timers
from headrace.report import quantities as q
from headrace.report.charts import BARS_HEIGHT, Chart, Key, bare_figure, bars_place, variable


@dataclass(frozen=True)
class Phase:
    name: str
    family: str
    meaning: str

    @property
    def colour(self) -> str:
        return f"phase-{self.name.replace('_', '-')}"


INTRA, INTER, IO, OTHER = "intra-node aggregation", "inter-node aggregation", "I/O phase", "other"
FAMILIES = (INTRA, INTER, IO, OTHER)
_KNOWN = {
    "agree": (OTHER, "agreeing on shape, method, plan and, at the end, status"),
    "gather": (INTRA, "requests described and fetched inside the node"),
    "sort": (INTRA, "merging requests inside the node"),
    "copy": (INTRA, "data between a rank's buffer and shared memory"),
    "my_requests": (INTER, "a local aggregator cutting its requests by file domain"),
    "others_requests": (INTER, "decoding what other nodes announce"),
    "domain_sort": (INTER, "merging in the file domain"),
    "placement": (INTER, "the places of each sender's bytes; the paper: building datatypes"),
    "exchange": (INTER, "messages between nodes: packing, sending, receiving, unpacking"),
    "io": (IO, "system calls of the storage"),
    "waiting": (OTHER, "waiting for other ranks"),
}
SHOWN = [Phase(name, *_KNOWN[name]) for name in PHASES]
POPULATIONS = {"ranks": "mean over ranks", "aggregators": "mean over global aggregators"}


def timers_of(subject: Subject, operation: Operation) -> Timers | None:
    return subject.get("timers", {}).get(operation)


def phase_chart(subjects: list[Subject], operation: Operation) -> Chart:
    """Two bars for each subject that has timers, which there must be one of."""
    bars = [
        (subject, over, timers_of(subject, operation)[over])
        for subject in subjects
        if timers_of(subject, operation)
        for over in POPULATIONS
    ]
    labels = [
        f"<b>{escape(subject['title'])}</b>  {over}, {q.seconds(_total(phases))}"
        for subject, over, phases in bars
    ]
    figure = bare_figure(labels, "seconds in collective calls, last run")
    figure.update_layout(barmode="stack")
    for phase in SHOWN:
        figure.add_trace(_segments(phase, [phases for _, _, phases in bars]))
    return Chart(
        name=f"phases-{operation}",
        title=f"Phases of the collective {operation}s",
        alt=_alt(bars, operation),
        figure=figure,
        key=[Key(phase.name, phase.colour, group=phase.family) for phase in _by_family()],
        note="The mean over ranks, and over the global aggregators only. Hover for the maximum.",
    )


def family_sum(phases: dict[str, Spread], family: str) -> float:
    """Of the means, which add up; maxima do not, as they are of different ranks."""
    return sum(
        phases[phase.name]["mean"]
        for phase in SHOWN
        if phase.family == family and phase.name in phases
    )


def _by_family() -> list[Phase]:
    return [phase for family in FAMILIES for phase in SHOWN if phase.family == family]


def _total(phases: dict[str, Spread]) -> float:
    return phases[TOTAL]["mean"] if TOTAL in phases else sum(s["mean"] for s in phases.values())


def _segments(phase: Phase, bars: list[dict[str, Spread]]) -> go.Bar:
    rows = [(row, phases[phase.name]) for row, phases in enumerate(bars) if phase.name in phases]
    return go.Bar(
        orientation="h",
        name=phase.name,
        y=[bars_place(row)[0] for row, _ in rows],
        width=BARS_HEIGHT,
        x=[spread["mean"] for _, spread in rows],
        marker={
            "color": variable(phase.colour),
            "line": {"color": variable("card"), "width": 1},
        },
        text=[
            f"mean {q.seconds(s['mean'])}, min {q.seconds(s['min'])}, max {q.seconds(s['max'])}"
            for _, s in rows
        ],
        textposition="none",
        hovertemplate=f"<b>{phase.name}</b> ({phase.family})<br>%{{text}}<br>{phase.meaning}"
        "<extra></extra>",
    )


def _alt(bars: list[tuple[Subject, str, dict[str, Spread]]], operation: Operation) -> str:
    told = [
        f"{subject['title']}, {over}: "
        + ", ".join(f"{family} {q.seconds(family_sum(phases, family))}" for family in FAMILIES)
        for subject, over, phases in bars
    ]
    return f"Stacked bars of the phases of the {operation}s. {'; '.join(told)}."
