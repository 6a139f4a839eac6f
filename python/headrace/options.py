"""Options that several commands have, and what they come to."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from headrace.errors import HeadraceError
from headrace.hints import parse_hints
from headrace.mpis import Mpi


class Method(StrEnum):
    auto = "auto"
    two_phase = "two_phase"
    tam = "tam"


ProgramArgument = Annotated[list[str], typer.Argument(metavar="PROGRAM ARGS")]
MpiOption = Annotated[Mpi | None, typer.Option(help="Default: the MPI that PROGRAM links.")]
MethodOption = Annotated[
    Method | None, typer.Option(help="How collective calls are served; default: auto.")
]
HintsOption = Annotated[str, typer.Option(metavar="KEY=VALUE,...", help="Hints for every file.")]
StatsOption = Annotated[bool, typer.Option("--stats", help="Show counters at each close.")]
TimersOption = Annotated[
    bool, typer.Option("--timers", help="Show at each close where the time went.")
]
ReportOption = Annotated[
    Path | None,
    typer.Option(help="Append counters and timers to this file: one JSON line per close."),
]
OstsOption = Annotated[
    int, typer.Option(min=1, help="Storage targets that the file lies on: its stripe count.")
]
StripeOption = Annotated[str, typer.Option(metavar="SIZE", help="Of a stripe.")]
SettingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A workload's parameter; see headrace bench --list."
    ),
]


def hints_of_options(hints: str, method: Method | None) -> dict[str, str]:
    return parse_hints(hints) | ({"headrace_method": method.value} if method else {})


def settings_of_options(given: list[str] | None) -> dict[str, str]:
    settings: dict[str, str] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise HeadraceError(f'--set: "{text}" is not NAME=VALUE.')
        settings[name] = value
    return settings
