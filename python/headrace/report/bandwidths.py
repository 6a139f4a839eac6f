"""Bars of bandwidth per method and peer, with the floors as lines."""

from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go

from headrace.bench_format import Bench, Figures, Operation, Subject
from headrace.report import quantities as q
from headrace.report.charts import Chart, Key, bare_figure, bars_place, label, variable
from headrace.report.floors import Line, lines
from headrace.report.subjects import figures_of, is_trusted, remarks

# A floor further out than so many times the longest bar would squeeze the bars: it is only told.
_AXIS_REACH = 3
_DARK = {"method": "method", "peer": "peer"}
_LIGHT = {"method": "method-light", "peer": "peer-light"}


@dataclass(frozen=True)
class Group:
    """Bars of one colour per kind: the figures of those subjects that have any."""

    text: str
    colours: dict[str, str]
    figures: list[tuple[Subject, Figures | None]]


def bandwidth_figure(groups: list[Group], lines: list[Line]) -> go.Figure:
    """One row per subject, one bar per group in it, from the longest run to the shortest."""
    largest = _largest(groups)
    scale, unit = q.scale_of(largest)
    figure = bare_figure(_row_labels(groups), f"bandwidth, {unit}", 34 + 12 * len(groups))
    for part, group in enumerate(groups):
        bars = _bars(group, scale, unit)
        places = [bars_place(row, part, len(groups)) for row in bars.y]
        figure.add_trace(bars.update(y=[y for y, _ in places], width=[h for _, h in places]))
    drawn = [line for line in lines if within_reach(line, largest)]
    for line in drawn:
        style = {"color": variable("text"), "dash": line.dash, "width": 2}
        figure.add_vline(x=line.bandwidth / scale, line=style, layer="above")
    furthest = max([largest, *(line.bandwidth for line in drawn)])
    figure.update_xaxes(range=[0, 1.12 * furthest / scale])
    return figure


def within_reach(line: Line, largest: float) -> bool:
    return line.bandwidth <= _AXIS_REACH * largest


def _row_labels(groups: list[Group]) -> list[str]:
    """With the bandwidth beside a row's name where the row has one bar."""
    alone = len(groups) == 1
    return [
        label(subject, q.bandwidth(figures["bandwidth"]) if figures and alone else "")
        for subject, figures in groups[0].figures
    ]


def _bars(group: Group, scale: int, unit: str) -> go.Bar:
    rows = [(row, *pair) for row, pair in enumerate(group.figures) if pair[1]]
    values = [figures["bandwidth"] / scale for _, _, figures in rows]
    return go.Bar(
        orientation="h",
        name=group.text,
        y=[row for row, _, _ in rows],
        x=values,
        error_x=_error_bars([figures for _, _, figures in rows], values),
        marker={
            "color": [variable(group.colours[subject["kind"]]) for _, subject, _ in rows],
            "pattern": {
                "shape": [_pattern(subject) for _, subject, _ in rows],
                "fgcolor": variable("card"),
                "size": 6,
            },
        },
        text=[_hover(subject, figures) for _, subject, figures in rows],
        textposition="none",
        hovertemplate=f"{group.text}: %{{x:.3g}} {unit}<br>%{{text}}<extra></extra>",
    )


def _pattern(subject: Subject) -> str:
    """Whole bars are of figures that are as good as any other's."""
    if not is_trusted(subject):
        return "x"
    return "/" if subject["state"] == "slow" else ""


def _error_bars(figures: list[Figures], values: list[float]) -> dict[str, object]:
    """Bandwidth is bytes over time: the shortest time is the upper end."""
    pairs = list(zip(figures, values, strict=True))
    return {
        "type": "data",
        "array": [value * (f["median"] / f["min"] - 1) for f, value in pairs],
        "arrayminus": [value * (1 - f["median"] / f["max"]) for f, value in pairs],
        "color": variable("text"),
        "thickness": 1.5,
        "width": 5,
    }


def _hover(subject: Subject, figures: Figures) -> str:
    spread = f"{q.digits(figures['min'])} to {q.seconds(figures['max'])}"
    runs = q.counted(figures["n"], "run")
    return f"{escape(subject['title'])}: {q.seconds(figures['median'])} ({spread}, {runs})"


def whole_chart(bench: Bench, subjects: list[Subject], operation: Operation) -> Chart:
    figures = [(s, figures_of(s, operation)["whole"] if operation in s else None) for s in subjects]
    groups = [Group("open to close", _DARK, figures)]
    floors = lines(bench, operation, "whole")
    return Chart(
        name=f"whole-{operation}",
        title=f"{operation.capitalize()}, open to close",
        alt=_alt(f"Bars of {operation} bandwidth, open to close", groups, floors),
        figure=bandwidth_figure(groups, floors),
        key=[*_kinds(subjects), *_line_keys(floors, groups)],
        note="Bars are medians, whiskers reach from the slowest run to the fastest.",
    )


def calls_chart(bench: Bench, subjects: list[Subject], operation: Operation) -> Chart:
    calls = [(s, figures_of(s, operation) if operation in s else None) for s in subjects]
    groups = [Group("first call", _DARK, [(s, c["first_call"] if c else None) for s, c in calls])]
    later = [(s, c["later_calls"] if c else None) for s, c in calls]
    if any(figures for _, figures in later):
        groups.append(Group("later calls", _LIGHT, later))
    floors = [line for line in lines(bench, operation, "call") if line.name != "network"]
    return Chart(
        name=f"calls-{operation}",
        title=f"{operation.capitalize()}, first call and later calls",
        alt=_alt(f"Bars of {operation} bandwidth by call", groups, floors),
        figure=bandwidth_figure(groups, floors),
        key=[*_call_keys(subjects, len(groups)), *_line_keys(floors, groups)],
        note="View and data of one collective call; of the later calls the median of each run.",
    )


def _kinds(subjects: list[Subject]) -> list[Key]:
    names = {"method": "methods of Headrace", "peer": "peers"}
    present = {subject["kind"] for subject in subjects}
    return [Key(text, _DARK[kind]) for kind, text in names.items() if kind in present]


def _call_keys(subjects: list[Subject], groups: int) -> list[Key]:
    parts = [("first call", _DARK), ("later calls", _LIGHT)][:groups]
    return [
        Key(f"{kind.text}, {part}", colours[kind.colour])
        for kind in _kinds(subjects)
        for part, colours in parts
    ]


def _line_keys(floors: list[Line], groups: list[Group]) -> list[Key]:
    largest = _largest(groups)
    off = ", off the axis"
    return [
        Key(line.text + ("" if within_reach(line, largest) else off), line=line.dash)
        for line in floors
    ]


def _largest(groups: list[Group]) -> float:
    return max(f["bandwidth"] for group in groups for _, f in group.figures if f)


def _alt(what: str, groups: list[Group], floors: list[Line]) -> str:
    bars = [
        f"{subject['title']}, {group.text}: "
        + (q.bandwidth(figures["bandwidth"]) if figures else remarks(subject) or "not measured")
        for group in groups
        for subject, figures in group.figures
    ]
    return f"{what}. {'; '.join([*bars, *(line.text for line in floors)])}."
