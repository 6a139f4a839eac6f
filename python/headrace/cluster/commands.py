"""`headrace cluster`: its commands and their options."""

from typing import Annotated

import typer

from headrace.cluster.description import DEFAULT_NAME, Cluster, all_clusters, require_cluster
from headrace.cluster.lifecycle import bring_up, take_down
from headrace.cluster.processes import processes_inside
from headrace.cluster.tools import require_means
from headrace.errors import HeadraceError
from headrace.launch import Request, become, launch_command
from headrace.libraries import require_library
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
from headrace.programs import mpi_of_program

app = typer.Typer(
    no_args_is_help=True,
    help="Several nodes on this machine, with links of a given rate between them; needs root.",
)

NameOption = Annotated[str, typer.Option(help="Of the cluster, where there are several.")]


@app.command()
def up(
    nodes: Annotated[int, typer.Option(min=1, help="How many.")],
    rate: Annotated[
        str | None,
        typer.Option(help="Of each link in each direction, as 1gbit; default: no limit."),
    ] = None,
    name: NameOption = DEFAULT_NAME,
) -> None:
    """Bring a cluster up."""
    print(_shown(bring_up(name, nodes, rate)))


@app.command(context_settings={"allow_interspersed_args": False})
def run(
    program: ProgramArgument,
    ranks: Annotated[
        int | None, typer.Option("-n", min=1, help="Ranks; default: one on each node.")
    ] = None,
    mpi: MpiOption = None,
    method: MethodOption = None,
    hints: HintsOption = "",
    stats: StatsOption = False,
    timers: TimersOption = False,
    report: ReportOption = None,
    without: Annotated[
        bool, typer.Option("--without", help="Leave Headrace out: the MPI's own I/O.")
    ] = False,
    name: NameOption = DEFAULT_NAME,
) -> None:
    """Run PROGRAM on the nodes with Headrace loaded; exit as PROGRAM does."""
    if without and (method or hints or stats or timers or report):
        raise HeadraceError("--without leaves no one to heed the options on what Headrace does.")
    require_means()
    on = require_cluster(name)
    chosen = mpi or mpi_of_program(program[0])
    library = None if without else require_library(chosen)
    all_hints = hints_of_options(hints, method)
    request = Request(
        program,
        chosen,
        library,
        ranks,
        all_hints,
        stats=stats,
        report=report,
        timers=timers,
        yields=True,  # as its ranks on all nodes share this machine's cores
        cluster=on,
    )
    become(launch_command(request))


@app.command()
def status() -> None:
    """Show the clusters that are up."""
    clusters = list(all_clusters())
    for found in clusters:
        running = len(processes_inside([found.namespace(node) for node in found.nodes]))
        print(f"{_shown(found)}; {running} processes on them")
    if not clusters:
        print("no cluster is up")


def _shown(found: Cluster) -> str:
    return (
        f"{found.name}: {found.summary}, network {found.network}; "
        f"folder that all see: {found.shared_folder}"
    )


@app.command()
def down(name: NameOption = DEFAULT_NAME) -> None:
    """Take a cluster down, with all that still runs on it."""
    if not take_down(name):
        print(f'no cluster "{name}" is up')
