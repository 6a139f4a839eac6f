"""`headrace bench`: its options, and what they come to."""

import math
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from headrace.bench.display import show
from headrace.bench.runner import Task
from headrace.bench.schedules import plan_schedules
from headrace.bench.session import Plan, Session
from headrace.bench.subjects import (
    METHODS,
    Subject,
    default_peers,
    known_peers,
    method_subject,
    peer_subject,
    schedule_subject,
)
from headrace.bench.workloads import Description, describe, kinds
from headrace.cluster import Cluster, cluster
from headrace.errors import HeadraceError
from headrace.folders import roomy_folder
from headrace.hints import parse_hints
from headrace.mpis import Mpi, find_mpirun
from headrace.options import OstsOption, SettingsOption, StripeOption, settings_of_options
from headrace.plan.answer import SCHEDULES, plan_job, schedules_named


def bench(
    workload: Annotated[str | None, typer.Argument(help="What to write; see --list.")] = None,
    ranks: Annotated[int, typer.Option("-n", min=1, help="Ranks.")] = 16,
    ranks_per_node: Annotated[
        int | None, typer.Option(min=1, help="Cut this machine into make-believe nodes.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Methods of Headrace, joined by commas. Default: all.")
    ] = None,
    peers: Annotated[
        str | None, typer.Option(help="Peers, joined by commas, or none. Default: all there are.")
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Runs of each, in turns.")] = 3,
    read: Annotated[bool, typer.Option("--read", help="Read every file back, too.")] = False,
    size: Annotated[
        str | None, typer.Option(help="Repeat the call, as time steps, to this size (256MB).")
    ] = None,
    map_file: Annotated[
        Path | None, typer.Option("--map", help="e3sm: a recorded decomposition map.")
    ] = None,
    layout: Annotated[str | None, typer.Option(help="hacc: aos or soa.")] = None,
    settings: SettingsOption = None,
    hints: Annotated[
        str, typer.Option(metavar="KEY=VALUE,...", help="In the MPI_Info of every MPI_File_open.")
    ] = "",
    folder: Annotated[
        Path | None, typer.Option("--dir", help="Where the files go. Default: memory, if roomy.")
    ] = None,
    schedule: Annotated[
        str | None,
        typer.Option(
            help=f"{', '.join(SCHEDULES)}, joined by commas, or all: response times on a modelled "
            "storage, measured and planned, of one method (tam)."
        ),
    ] = None,
    osts: OstsOption = 8,
    stripe: StripeOption = "1MiB",
    stripe_time: Annotated[
        float | None,
        typer.Option(metavar="MS", min=0.001, help="Of a stripe of the modelled storage."),
    ] = None,
    cluster_nodes: Annotated[
        int | None, typer.Option("--cluster", min=1, help="Real nodes, of namespaces; needs root.")
    ] = None,
    rate: Annotated[str | None, typer.Option(help="Of each node's link: 1gbit.")] = None,
    peer_limit: Annotated[
        float, typer.Option(help="Seconds. A slower peer is run once, and marked so.")
    ] = 5.0,
    time_limit: Annotated[
        float, typer.Option(help="Seconds. A run that takes longer is stopped, and failed.")
    ] = 180.0,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="All figures; written anew after every run.")
    ] = None,
    mpi: Annotated[Mpi | None, typer.Option(help="Whose methods. Default: Open MPI.")] = None,
    plant: Annotated[
        int | None,
        typer.Option("--plant-wrong-byte", metavar="OFFSET", help="Spoil it, to see it found."),
    ] = None,
    list_workloads: Annotated[bool, typer.Option("--list", help="Show the workloads.")] = False,
) -> None:
    """Compare methods and peers on a known workload, in turns, every byte verified."""
    console = Console(highlight=False)
    if list_workloads or workload is None:
        console.print(_workloads())
        return
    # Both end what was started, and keep what is known; also where a shell, which starts this in
    # the background, has Ctrl-C ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    shorthands = {"map": map_file, "layout": layout}
    chosen = {name: str(value) for name, value in shorthands.items() if value is not None}
    chosen |= settings_of_options(settings)
    per_node = math.ceil(ranks / cluster_nodes) if cluster_nodes else ranks_per_node
    description = describe(workload, chosen, ranks, per_node or ranks, size)
    planned = None
    if schedule is None:
        if stripe_time is not None:
            raise HeadraceError("--stripe-time is of a modelled storage: give --schedule, too.")
        subjects = _subjects(methods, peers, mpi or _default_mpi())
    else:
        subjects = _schedules(schedule, methods, peers, mpi or _default_mpi())
        description["calls"] = max(2, description["calls"])  # the first is not measured
        names = [subject.name for subject in subjects]
        job = plan_job(workload, chosen, ranks, per_node or ranks, osts, stripe, names)
        planned = plan_schedules(job, description["calls"], stripe_time and stripe_time / 1e3)
    with _nodes(cluster_nodes, rate) as nodes, _scratch(folder, nodes, description) as files:
        task = Task(
            workload,
            chosen,
            description["calls"],
            description["bytes_per_call"],
            ranks,
            files,
            read,
            (planned.hints() if planned else {}) | parse_hints(hints),
            None if nodes else ranks_per_node,
            nodes,
            plant,
            time_limit,
        )
        command = shlex.join(["headrace", *sys.argv[1:]])
        session = Session(
            Plan(command, task, subjects, repeat, peer_limit, description, planned, json_file)
        )
        _run(session, console)
    show(session.bench(), console)
    raise typer.Exit(_exit_status(session))


def _exit_status(session: Session) -> int:
    if not session.complete:
        return 128 + signal.SIGINT
    return 1 if any(record.state == "failed" for record in session.records) else 0


@contextmanager
def _nodes(count: int | None, rate: str | None) -> Iterator[Cluster | None]:
    if count is None:
        if rate:
            raise HeadraceError("--rate is of the links of a cluster: give --cluster NODES, too.")
        yield None
        return
    with cluster(count, rate) as made:
        yield made


def _run(session: Session, console: Console) -> None:
    """Cut short by the user, it shows what it has."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        bar = progress.add_task("", total=session.run_count)

        def tell(title: str) -> None:
            progress.update(bar, description=title, advance=1)

        try:
            session.run(tell)
        except KeyboardInterrupt:
            session.save()


def _default_mpi() -> Mpi:
    for mpi in Mpi:
        if find_mpirun(mpi):
            return mpi
    raise HeadraceError("no MPI was found: there is no mpirun of Open MPI or MPICH on PATH.")


def _subjects(methods: str | None, peers: str | None, mpi: Mpi) -> list[Subject]:
    names = default_peers(mpi) if peers is None else _names(peers)
    chosen = [
        method_subject(name, mpi) for name in (METHODS if methods is None else _names(methods))
    ]
    chosen += [peer_subject(name, mpi) for name in names]
    if not chosen:
        raise HeadraceError(
            f"nothing to run: give --methods ({', '.join(METHODS)}) or --peers "
            f"({', '.join(known_peers(mpi))})."
        )
    return chosen


def _schedules(names: str, methods: str | None, peers: str | None, mpi: Mpi) -> list[Subject]:
    method = methods or "tam"
    if peers not in (None, "none") or method not in ("tam", "two_phase"):
        raise HeadraceError("--schedule compares schedules of one method, tam or two_phase.")
    subject = method_subject(method, mpi)
    return [schedule_subject(name, subject) for name in schedules_named(names)]


def _names(text: str) -> list[str]:
    return [] if text == "none" else list(dict.fromkeys(filter(None, text.split(","))))


@contextmanager
def _scratch(
    folder: Path | None, nodes: Cluster | None, description: Description
) -> Iterator[Path]:
    """A new folder for the files, removed at the end. The nodes of a cluster share one folder."""
    needed = description["displacement_stride"] * description["calls"] + description["header_bytes"]
    parent = folder or (nodes.shared_folder if nodes else roomy_folder(3 * needed))
    if not parent.is_dir():
        raise HeadraceError(f"--dir: {parent} is not a folder.")
    if shutil.disk_usage(parent).free < needed:
        raise HeadraceError(f"{parent} has less than the {needed / 1e6:,.0f} MB that a file takes.")
    scratch = Path(tempfile.mkdtemp(prefix="headrace-bench-", dir=parent))
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _workloads() -> Table:
    table = Table(title="Workloads, and their parameters (--set NAME=VALUE)", title_justify="left")
    for header in ("workload", "parameter", "default", "meaning"):
        table.add_column(header)
    for kind in kinds():
        table.add_row(kind["name"], "", "", kind["meaning"])
        for parameter in kind["parameters"]:
            table.add_row("", parameter["name"], parameter["default"], parameter["meaning"])
        table.add_section()
    return table
