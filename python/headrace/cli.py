"""Commands and their options; what they do is in the other modules."""

import sys
from typing import Annotated

import typer
from rich.console import Console

from headrace.bench.command import bench
from headrace.cluster.commands import app as cluster_app
from headrace.doctor import examine, show
from headrace.errors import HeadraceError
from headrace.launch import Request, become, launch_command
from headrace.libraries import require_library
from headrace.mpis import Mpi
from headrace.options import (
    HintsOption,
    MethodOption,
    MpiOption,
    ProgramArgument,
    ReportOption,
    StatsOption,
    TimersOption,
    hints_of_options,
)
from headrace.plan.command import plan
from headrace.programs import mpi_of_program
from headrace.report.command import report

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Headrace, an engine for MPI collective I/O, for programs as they are.",
)
app.add_typer(cluster_app, name="cluster")

app.command()(bench)
app.command()(plan)
app.command()(report)


@app.command(context_settings={"allow_interspersed_args": False})
def run(
    program: ProgramArgument,
    ranks: Annotated[
        int | None, typer.Option("-n", min=1, help="Ranks; default: as many as the launcher says.")
    ] = None,
    mpi: MpiOption = None,
    method: MethodOption = None,
    hints: HintsOption = "",
    ranks_per_node: Annotated[
        int | None, typer.Option(min=1, help="Cut this machine into make-believe nodes.")
    ] = None,
    stats: StatsOption = False,
    timers: TimersOption = False,
    report: ReportOption = None,
) -> None:
    """Run PROGRAM on MPI ranks with Headrace loaded; exit as PROGRAM does."""
    chosen = mpi or mpi_of_program(program[0])
    all_hints = hints_of_options(hints, method)
    request = Request(
        program=program,
        mpi=chosen,
        library=require_library(chosen),
        ranks=ranks,
        hints=all_hints,
        ranks_per_node=ranks_per_node,
        stats=stats,
        report=report,
        timers=timers,
    )
    become(launch_command(request))


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


def main() -> None:
    try:
        app()
    except HeadraceError as error:
        print(f"headrace: {error}", file=sys.stderr)
        sys.exit(2)
