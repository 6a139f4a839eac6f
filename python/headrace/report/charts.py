"""What the page's charts share. Colours are CSS variables, which page.js looks up when it draws."""

from dataclasses import dataclass
from html import escape
from itertools import groupby

import plotly.graph_objects as go

from headrace.bench_format import Subject
from headrace.report.subjects import mark

_ROW_HEIGHT = 46
_MARGIN_HEIGHT = 58
# Of a row of height 1: the label is above, the bars below. So a phone's width is all the bars'.
_LABEL_BOTTOM = -0.1
_BARS_TOP, BARS_HEIGHT = -0.06, 0.48


@dataclass(frozen=True)
class Key:
    """One entry beside a chart: a colour (CSS variable) or a kind of line, and its meaning."""

    text: str
    colour: str = ""
    line: str = ""
    group: str = ""


@dataclass(frozen=True)
class Chart:
    """A figure, what it shows in words, and the key to its colours and lines."""

    name: str
    title: str
    alt: str
    figure: go.Figure
    key: list[Key]
    note: str

    @property
    def height(self) -> int:
        return self.figure.layout.height

    @property
    def key_groups(self) -> list[tuple[str, list[Key]]]:
        groups = groupby(self.key, key=lambda entry: entry.group)
        return [(group, list(entries)) for group, entries in groups]


def variable(name: str) -> str:
    return f"var(--{name})"


def label(subject: Subject, *told: str) -> str:
    """Plotly reads a little HTML in texts: what comes from the JSON must not be taken for it."""
    rest = ", ".join(escape(text) for text in (*told, mark(subject)) if text)
    return f"<b>{escape(subject['title'])}</b>  {rest}"


def bars_place(row: int, part: int = 0, parts: int = 1) -> tuple[float, float]:
    """Middle and height of one of the bars that share a row."""
    height = BARS_HEIGHT / parts
    return row + _BARS_TOP + height * (part + 0.5), height


def bare_figure(labels: list[str], axis_title: str, row_height: int = _ROW_HEIGHT) -> go.Figure:
    """Rows from top to bottom with the labels, numbered from 0, and an empty axis of numbers."""
    figure = go.Figure(layout=go.Layout(template=go.layout.Template()))
    figure.update_layout(
        height=_MARGIN_HEIGHT + row_height * len(labels),
        margin={"l": 8, "r": 12, "t": 0, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 13, "color": variable("text")},
        hoverlabel={"bgcolor": variable("card"), "font": {"color": variable("text")}},
        showlegend=False,
        dragmode=False,
        barmode="overlay",
        annotations=[_row_label(row, text) for row, text in enumerate(labels)],
    )
    figure.update_xaxes(
        title={"text": axis_title, "font": {"size": 13}, "standoff": 10},
        ticklabeloverflow="allow",
        rangemode="tozero",
        automargin=True,
        gridcolor=variable("grid"),
        zerolinecolor=variable("axis"),
        fixedrange=True,
    )
    figure.update_yaxes(range=[len(labels) - 0.5, -0.5], visible=False, fixedrange=True)
    return figure


def _row_label(row: int, text: str) -> dict[str, object]:
    return {
        "text": text,
        "xref": "paper",
        "x": 0,
        "xanchor": "left",
        "y": row + _LABEL_BOTTOM,
        "yanchor": "bottom",
        "borderpad": 0,
        "showarrow": False,
        "bgcolor": variable("card"),
    }
