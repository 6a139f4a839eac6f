"""Every run's time as a point, so that the noise is seen."""

from html import escape

import plotly.graph_objects as go

from headrace.bench_format import Operation, Run, Subject
from headrace.report import quantities as q
from headrace.report.charts import Chart, Key, bare_figure, bars_place, label, variable

# Times that differ more than so many times are told apart only on a logarithmic axis.
_LINEAR_REACH = 20


def runs_chart(subjects: list[Subject], operation: Operation) -> Chart:
    """Of the subjects that have a run of the operation, which there must be one of."""
    shown = [subject for subject in subjects if runs_of(subject, operation)]
    times = [run[operation]["whole"] for s in shown for run in runs_of(s, operation)]
    is_log = max(times) > _LINEAR_REACH * min(times)
    figure = bare_figure([label(s) for s in shown], "seconds" + (", logarithmic" if is_log else ""))
    if is_log:
        figure.update_xaxes(type="log", rangemode="normal", dtick="D2")
    for row, subject in enumerate(shown):
        figure.add_trace(_points(row, subject, operation))
    kinds = {"method": "methods of Headrace", "peer": "peers"}
    return Chart(
        name=f"runs-{operation}",
        title=f"{operation.capitalize()}, every run",
        alt=_alt(shown, operation),
        figure=figure,
        key=[Key(text, kind) for kind, text in kinds.items() if _has(shown, kind)],
        note="Open to close. In each row the first run is the highest point, the last the lowest.",
    )


def runs_of(subject: Subject, operation: Operation) -> list[Run]:
    return [run for run in subject["runs"] if operation in run]


def _has(subjects: list[Subject], kind: str) -> bool:
    return any(subject["kind"] == kind for subject in subjects)


def _points(row: int, subject: Subject, operation: Operation) -> go.Scatter:
    runs = runs_of(subject, operation)
    return go.Scatter(
        mode="markers",
        x=[run[operation]["whole"] for run in runs],
        y=[bars_place(row, index, len(runs))[0] for index in range(len(runs))],
        marker={
            "color": variable(subject["kind"]),
            "size": 8,
            "symbol": ["circle" if run["verified"] else "x" for run in runs],
            "line": {"color": variable("card"), "width": 1},
        },
        text=[f"run {index + 1}" for index in range(len(runs))],
        hovertemplate=f"{escape(subject['title'])}, %{{text}}: %{{x:.4g}} s<extra></extra>",
    )


def _alt(subjects: list[Subject], operation: Operation) -> str:
    told = [
        f"{subject['title']}: "
        + ", ".join(q.seconds(run[operation]["whole"]) for run in runs_of(subject, operation))
        for subject in subjects
    ]
    return f"Points of every run's time, {operation}, open to close. {'; '.join(told)}."
