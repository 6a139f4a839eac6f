"""The machine that a benchmark ran on, for whoever reads its figures."""

import os
import platform
import re
from pathlib import Path

from headrace.bench_format import Machine
from headrace.mpis import Mpi, find_mpirun, version_number


def describe_machine(folder: Path) -> Machine:
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "kernel": platform.release(),
        "mpis": {mpi.value: version_number(str(run)) for mpi in Mpi if (run := find_mpirun(mpi))},
        "folder": str(folder),
        "file_system": file_system(folder),
    }


def _cpu() -> str:
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found.group(1) if found else platform.machine()


def file_system(folder: Path) -> str:
    """The type of the mount that holds `folder`: the longest mount point above it."""
    path = folder.resolve()
    best = (0, "unknown")
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, point, kind = line.split()[:3]
        mount = Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code.group(1), 8)), point))
        if path.is_relative_to(mount):
            best = max(best, (len(mount.parts), kind))
    return best[1]
