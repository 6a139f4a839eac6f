"""The MPIs that Headrace supports, and how one is recognised and started on this machine."""

import os
import re
import shutil
import subprocess
from enum import StrEnum
from functools import cache
from pathlib import Path

from headrace.errors import HeadraceError


class Mpi(StrEnum):
    openmpi = "openmpi"
    mpich = "mpich"


# The names by which the loader finds the two MPIs. MPICH calls itself libmpi.so.12 except in
# Debian; MVAPICH, Intel MPI and Cray MPICH share its binary interface.
_SONAMES = {
    "libmpi.so.40": Mpi.openmpi,
    "libmpich.so.12": Mpi.mpich,
    "libmpi.so.12": Mpi.mpich,
}

_BANNERS = {
    Mpi.openmpi: re.compile(r"Open MPI|OpenRTE|open-mpi", re.IGNORECASE),
    Mpi.mpich: re.compile(r"HYDRA|MPICH", re.IGNORECASE),
}


def mpi_of_sonames(sonames: set[str]) -> Mpi | None:
    """The MPI among the libraries `sonames`; None when there is none, or more than one."""
    found = {_SONAMES[name] for name in sonames if name in _SONAMES}
    return found.pop() if len(found) == 1 else None


@cache
def version_text(mpirun: str) -> str:
    """What `mpirun --version` says, or nothing when it cannot be run."""
    try:
        answer = subprocess.run(
            [mpirun, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout + answer.stderr


def version_number(mpirun: str) -> str:
    found = re.search(r"\d+\.\d+(\.\d+)?\S*", version_text(mpirun))
    return found.group() if found else "unknown version"


def find_mpirun(mpi: Mpi) -> Path | None:
    """Debian's mpirun.<mpi>, else whichever plain launcher says that it is of this MPI."""
    named = shutil.which(f"mpirun.{mpi}")
    if named:
        return Path(named)
    for name in ("mpirun", "mpiexec"):
        plain = shutil.which(name)
        if plain and _BANNERS[mpi].search(version_text(plain)):
            return Path(plain)
    return None


def require_mpirun(mpi: Mpi) -> Path:
    mpirun = find_mpirun(mpi)
    if mpirun is None:
        raise HeadraceError(
            f"no mpirun of {mpi} on PATH: looked for mpirun.{mpi}, and for an mpirun or mpiexec "
            f"that says it is {mpi}. Install {mpi}, or load its module, then try again."
        )
    return mpirun


@cache
def romio_of_openmpi() -> str | None:
    """The name of Open MPI's component with ROMIO ("romio321"); None where it has none, as since
    Open MPI 6, or does not come with an ompi_info to ask."""
    tool = _ompi_info()
    if tool is None:
        return None
    told = subprocess.run([tool, "--parsable"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"^mca:io:(romio\w*):", told, re.MULTILINE)
    return found.group(1) if found else None


def _ompi_info() -> str | None:
    """The one beside mpirun, which is of the same installation."""
    mpirun = find_mpirun(Mpi.openmpi)
    names = ("ompi_info.openmpi", "ompi_info")
    beside = [shutil.which(name, path=str(mpirun.parent)) for name in names] if mpirun else []
    return next(filter(None, [*beside, *map(shutil.which, names)]), None)


def physical_cores() -> int:
    """The cores this process may use: what Open MPI takes for the slots of a lone machine."""
    siblings = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    cores = set()
    for cpu in os.sched_getaffinity(0):
        path = Path(siblings.format(cpu))
        cores.add(path.read_text().strip() if path.exists() else str(cpu))
    return len(cores)
