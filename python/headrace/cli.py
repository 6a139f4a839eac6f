"""Commands and their options; what they do is in the other modules."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from headrace.doctor import examine, show
from headrace.errors import HeadraceError
from headrace.hints import parse_hints
from headrace.launch import Command, Request, launch_command
from headrace.libraries import require_library
from headrace.mpis import Mpi
from headrace.programs import mpi_of_program

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Headrace, an engine for MPI collective I/O, for programs as they are.",
)


class Method(StrEnum):
    auto = "auto"
    two_phase = "two_phase"
    tam = "tam"


MpiOption = Annotated[Mpi | None, typer.Option(help="Default: the MPI that PROGRAM links.")]


@app.command(context_settings={"allow_interspersed_args": False})
def run(
    program: Annotated[list[str], typer.Argument(metavar="PROGRAM ARGS")],
    ranks: Annotated[
        int | None, typer.Option("-n", min=1, help="Ranks; default: as many as the launcher says.")
    ] = None,
    mpi: MpiOption = None,
    method: Annotated[
        Method | None, typer.Option(help="How collective calls are served; default: auto.")
    ] = None,
    hints: Annotated[str, typer.Option(metavar="KEY=VALUE,...", help="Hints for every file.")] = "",
    ranks_per_node: Annotated[
        int | None, typer.Option(min=1, help="Cut this machine into make-believe nodes.")
    ] = None,
    stats: Annotated[bool, typer.Option("--stats", help="Show counters at each close.")] = False,
    report: Annotated[
        Path | None, typer.Option(help="Append counters to this file: one JSON line per close.")
    ] = None,
) -> None:
    """Run PROGRAM on MPI ranks with Headrace loaded; exit as PROGRAM does."""
    chosen = mpi or mpi_of_program(program[0])
    all_hints = parse_hints(hints) | ({"headrace_method": method.value} if method else {})
    request = Request(
        program, chosen, require_library(chosen), ranks, all_hints, ranks_per_node, stats, report
    )
    _become(launch_command(request))


@app.command()
def lib(
    mpi: Annotated[Mpi, typer.Option(help="The MPI of the program to preload it into.")],
) -> None:
    """Print the path of the library to preload."""
    print(require_library(mpi))


@app.command()
def doctor() -> None:
    """Say what was found on this machine, what is wrong, and what to do."""
    findings = examine()
    show(findings, Console())
    raise typer.Exit(1 if any(finding.is_wrong for finding in findings) else 0)


def _become(command: Command) -> None:
    """Replaces this process, so that signals and the exit status are the launcher's own."""
    sys.stdout.flush()
    os.execvpe(command.words[0], command.words, os.environ | command.environment)


def main() -> None:
    try:
        app()
    except HeadraceError as error:
        print(f"headrace: {error}", file=sys.stderr)
        sys.exit(2)
