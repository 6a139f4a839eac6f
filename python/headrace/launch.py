"""The command line that starts a program with Headrace loaded."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headrace.errors import HeadraceError
from headrace.hints import joined_hints
from headrace.mpis import Mpi, physical_cores, require_mpirun


@dataclass(frozen=True)
class Request:
    """What `headrace run` was asked for."""

    program: list[str]
    mpi: Mpi
    library: Path
    ranks: int | None = None
    hints: Mapping[str, str] = field(default_factory=dict)
    ranks_per_node: int | None = None
    stats: bool = False
    report: Path | None = None


@dataclass(frozen=True)
class Command:
    """What to execute, and what to add to the environment of the launcher itself."""

    words: list[str]
    environment: dict[str, str]


def launch_command(request: Request) -> Command:
    """`srun` inside a Slurm allocation, else the mpirun of the program's MPI.

    The program alone is preloaded, by `env`, and never the launcher.
    """
    start = launcher(request.mpi, request.ranks)
    settings = [f"{key}={value}" for key, value in program_environment(request).items()]
    return Command([*start.words, "env", *settings, *request.program], start.environment)


def launcher(mpi: Mpi, ranks: int | None) -> Command:
    """Starts `ranks` ranks of the program whose name and arguments are put behind it."""
    count = ["-n", str(ranks)] if ranks else []
    srun = shutil.which("srun") if "SLURM_JOB_ID" in os.environ else None
    if srun:
        return Command([srun, *count], {})
    mpirun = str(require_mpirun(mpi))
    if mpi is Mpi.mpich:
        return Command([mpirun, *count], {})
    return Command([mpirun, *count, *_oversubscribe(ranks)], _root_environment())


def program_environment(request: Request) -> dict[str, str]:
    """What Headrace needs in the environment of each rank."""
    environment = preload_environment(request.library)
    hints = joined_hints(request.hints, os.environ.get("HEADRACE_HINTS", ""))
    optional = {
        "HEADRACE_HINTS": hints,
        "HEADRACE_RANKS_PER_NODE": str(request.ranks_per_node or ""),
        "HEADRACE_STATS": "1" if request.stats else "",
        "HEADRACE_REPORT": str(request.report.absolute()) if request.report else "",
    }
    return environment | {key: value for key, value in optional.items() if value}


def preload_environment(library: Path) -> dict[str, str]:
    """The variables that preload `library`, first of those the user preloads already.

    LD_PRELOAD separates names by spaces and colons and has no way to quote them, so a library in a
    folder with a space is preloaded by its bare name and found through LD_LIBRARY_PATH.
    """
    folder = str(library.parent)
    if ":" in folder or ";" in folder:
        raise HeadraceError(f'{library} cannot be preloaded: its path holds ":" or ";".')
    spaced = any(character.isspace() for character in str(library))
    name = library.name if spaced else str(library)
    environment = {"LD_PRELOAD": _joined(name, os.environ.get("LD_PRELOAD"))}
    if spaced:
        environment["LD_LIBRARY_PATH"] = _joined(folder, os.environ.get("LD_LIBRARY_PATH"))
    return environment


def _joined(first: str, rest: str | None) -> str:
    return f"{first}:{rest}" if rest else first


def _oversubscribe(ranks: int | None) -> list[str]:
    """Only where Open MPI would refuse to start: it says less where a user made an error."""
    return ["--oversubscribe"] if ranks and ranks > physical_cores() else []


def _root_environment() -> dict[str, str]:
    """Open MPI refuses to run as root, as in a container, unless it is told twice."""
    if os.geteuid() != 0:
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
