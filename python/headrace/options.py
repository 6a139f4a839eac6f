"""Options that several commands have, and what they come to."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

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


def hints_of_options(hints: str, method: Method | None) -> dict[str, str]:
    return parse_hints(hints) | ({"headrace_method": method.value} if method else {})
