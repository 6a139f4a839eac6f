"""The command line that starts a program with Headrace loaded."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from headrace.cluster.description import Cluster
from headrace.cluster.network import INTERFACE
from headrace.errors import HeadraceError
from headrace.hints import joined_hints
from headrace.libraries import require_finishing, require_yielding
from headrace.mpis import Mpi, physical_cores, require_mpirun, romio_of_openmpi


@dataclass(frozen=True)
class Request:
    """What `headrace run` or `headrace cluster run` was asked for."""

    program: list[str]
    mpi: Mpi
    library: Path | None
    """None: the program runs without Headrace, and what follows on Headrace is not looked at."""
    ranks: int | None = None
    hints: Mapping[str, str] = field(default_factory=dict)
    ranks_per_node: int | None = None
    stats: bool = False
    report: Path | None = None
    timers: bool = False
    yields: bool | None = None
    """MPICH's progress loop gives up the core when it finds nothing, as Open MPI's does by itself
    where there are more ranks than cores. None: there."""
    cluster: Cluster | None = None
    """None: on this machine, or where Slurm says."""


@dataclass(frozen=True)
class Command:
    """What to execute, and what to add to the environment of the launcher itself."""

    words: list[str]
    environment: dict[str, str]


def launch_command(request: Request) -> Command:
    """The program alone is preloaded, by `env`, and never the launcher."""
    start = launcher(request.mpi, request.ranks, request.cluster)
    settings = [f"{key}={value}" for key, value in program_environment(request).items()]
    env = ["env", *settings] if settings else []
    return Command([*start.words, *env, *request.program], start.environment)


def become(command: Command) -> NoReturn:
    """Replaces this process, so that signals and the exit status are the launcher's own."""
    sys.stdout.flush()
    os.execvpe(command.words[0], command.words, os.environ | command.environment)


def launcher(mpi: Mpi, ranks: int | None, cluster: Cluster | None = None) -> Command:
    """Starts `ranks` ranks of the program whose name and arguments are put behind it.

    On `cluster` if there is one; else by `srun` inside a Slurm allocation; else by the MPI's
    mpirun.
    """
    if cluster:
        return _cluster_launcher(mpi, ranks or len(cluster.nodes), cluster)
    count = ["-n", str(ranks)] if ranks else []
    if srun := _srun():
        return Command([srun, *count], {})
    mpirun = str(require_mpirun(mpi))
    if mpi is Mpi.mpich:
        return Command([mpirun, *count], {})
    # Only where Open MPI would refuse to start: it says less where a user made an error.
    crowd = ["--oversubscribe"] if _is_crowded(ranks) else []
    return Command([mpirun, *count, *crowd], _root_environment())


def _srun() -> str | None:
    return shutil.which("srun") if "SLURM_JOB_ID" in os.environ else None


def _is_crowded(ranks: int | None) -> bool:
    """Whether ranks share cores, if all are on this machine."""
    return ranks is not None and ranks > physical_cores()


def _cluster_launcher(mpi: Mpi, ranks: int, cluster: Cluster) -> Command:
    """The MPI's mpirun, on the first node; it starts its daemons on the others by the agent."""
    hosts = ",".join(f"{node.name}:{count}" for node, count in cluster.placement(ranks))
    start = [str(cluster.enter), cluster.nodes[0].name, str(require_mpirun(mpi)), "-n", str(ranks)]
    agent = str(cluster.agent)
    if mpi is Mpi.mpich:
        options = ["-launcher", "ssh", "-launcher-exec", agent]
        where = ["-iface", INTERFACE, "-hosts", hosts]
        return Command([*start, *options, *where], _UCX_ON_A_CLUSTER)
    settings = _open_mpi_on(agent, _is_crowded(ranks))
    options = [word for key, value in settings.items() for word in ("--mca", key, value)]
    where = ["--host", hosts, "--bind-to", "none"]
    return Command([*start, *options, *where], _root_environment())


# UCX tells nodes by the machine, and would reach the memory of ranks on another node.
_UCX_ON_A_CLUSTER = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": INTERFACE}


def _open_mpi_on(agent: str, is_crowded: bool) -> dict[str, str]:
    """MCA parameters that start daemons by `agent`, and send between nodes by their links alone."""
    return {
        # Open MPI would look at each node by itself, and not see that they share the cores.
        "mpi_yield_when_idle": str(int(is_crowded)),
        "plm": "rsh",
        "plm_rsh_agent": agent,
        "plm_rsh_no_tree_spawn": "1",
        "orte_tmpdir_base": "/dev/shm",  # the node's own, and gone with the program
        "oob_tcp_if_include": INTERFACE,
        "pml": "ob1",
        "btl": "self,vader,tcp",
        "btl_tcp_if_include": INTERFACE,
    }


def program_environment(request: Request) -> dict[str, str]:
    """What Headrace needs in the environment of each rank."""
    libraries = [request.library] if request.library else []
    if request.mpi is Mpi.mpich and _yields(request):
        libraries.append(require_yielding())
    if request.cluster and request.mpi is Mpi.mpich:
        libraries.append(require_finishing())
    environment = preload_environment(libraries) | _host_engine(request)
    hints = joined_hints(request.hints, os.environ.get("HEADRACE_HINTS", ""))
    optional = {
        "HEADRACE_HINTS": hints,
        "HEADRACE_RANKS_PER_NODE": str(request.ranks_per_node or ""),
        "HEADRACE_STATS": "1" if request.stats else "",
        "HEADRACE_TIMERS": "1" if request.timers else "",
        "HEADRACE_REPORT": str(request.report.absolute()) if request.report else "",
    }
    return environment | {key: value for key, value in optional.items() if value}


def _yields(request: Request) -> bool:
    if request.yields is not None:
        return request.yields
    return _is_crowded(request.ranks) and not _srun()


def _host_engine(request: Request) -> dict[str, str]:
    """Open MPI uses ROMIO instead of OMPIO if it has both, as Open MPI 4 by itself on Lustre.

    Files are opened by the host's engine, and served by it where Headrace leaves them to it: of
    many small requests ROMIO makes a fraction of OMPIO's time. OMPIO is not even loaded, which
    takes a third of the time of a process's first open. A user's own choice stands.
    """
    is_chosen = any(name in os.environ for name in ("OMPI_MCA_io", "OMPI_MCA_io_ompio_priority"))
    if not request.library or request.mpi is not Mpi.openmpi or is_chosen:
        return {}
    romio = romio_of_openmpi()
    return {"OMPI_MCA_io": romio} if romio else {}


def preload_environment(libraries: Sequence[Path]) -> dict[str, str]:
    """The variables that preload `libraries`, before those the user preloads already.

    LD_PRELOAD separates names by spaces and colons and has no way to quote them, so a library in a
    folder with a space is preloaded by its bare name and found through LD_LIBRARY_PATH.
    """
    spaced = [library for library in libraries if any(map(str.isspace, str(library)))]
    for library in libraries:
        if ":" in str(library.parent) or ";" in str(library.parent):
            raise HeadraceError(f'{library} cannot be preloaded: its path holds ":" or ";".')
    names = [library.name if library in spaced else str(library) for library in libraries]
    folders = [str(library.parent) for library in spaced]
    lists = {"LD_PRELOAD": names, "LD_LIBRARY_PATH": folders}
    return {key: _before_existing(added, key) for key, added in lists.items() if added}


def _before_existing(added: Sequence[str], variable: str) -> str:
    return ":".join(filter(None, [*added, os.environ.get(variable)]))


def _root_environment() -> dict[str, str]:
    """Open MPI refuses to run as root, as in a container, unless it is told twice."""
    if os.geteuid() != 0:
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
