"""What this machine has of what Headrace needs."""

import os
import platform
import shutil
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from rich.console import Console
from rich.table import Table

from headrace.cluster.tools import why_impossible
from headrace.elf import missing_libraries
from headrace.libraries import find_library, library_name
from headrace.mpis import Mpi, find_mpirun, physical_cores, version_number

_SHM = Path("/dev/shm")
_SHM_ENOUGH = 64 << 20


class State(StrEnum):
    good = "ok"
    note = "note"
    wrong = "wrong"


@dataclass(frozen=True)
class Finding:
    subject: str
    state: State
    found: str
    advice: str = ""

    @property
    def is_wrong(self) -> bool:
        return self.state is State.wrong


def examine() -> list[Finding]:
    findings = [_kernel(), _cores(), _shared_memory(), _memfd(), _cluster()]
    for mpi in Mpi:
        findings += [_mpi(mpi), _library(mpi)]
    if not any(find_mpirun(mpi) for mpi in Mpi):
        findings.append(
            Finding("MPI", State.wrong, "none", "install Open MPI or MPICH, or load its module")
        )
    return findings


def show(findings: list[Finding], console: Console) -> None:
    table = Table(title="headrace doctor", title_justify="left")
    for heading in ("what", "state", "found", "what to do"):
        table.add_column(heading, overflow="fold")
    colours = {State.good: "green", State.note: "yellow", State.wrong: "red"}
    for finding in findings:
        colour = colours[finding.state]
        table.add_row(
            finding.subject, f"[{colour}]{finding.state}[/]", finding.found, finding.advice
        )
    console.print(table)


def _kernel() -> Finding:
    if platform.system() != "Linux":
        return Finding("kernel", State.wrong, platform.system(), "Headrace needs Linux")
    return Finding("kernel", State.good, f"Linux {platform.release()}")


def _cores() -> Finding:
    return Finding("cores", State.good, f"{physical_cores()} usable")


def _shared_memory() -> Finding:
    if not _SHM.is_dir() or not os.access(_SHM, os.W_OK):
        return Finding("/dev/shm", State.wrong, "not writable", "mount a tmpfs on /dev/shm")
    free = shutil.disk_usage(_SHM).free
    found = f"{free >> 20} MiB free"
    if free < _SHM_ENOUGH:
        return Finding("/dev/shm", State.wrong, found, "make room: docker run --shm-size=1g")
    return Finding("/dev/shm", State.good, found)


def _memfd() -> Finding:
    try:
        os.close(os.memfd_create("headrace-doctor"))
    except OSError as error:
        return Finding("memfd_create", State.wrong, str(error), "allow it in the seccomp profile")
    return Finding("memfd_create", State.good, "works")


def _cluster() -> Finding:
    reason = why_impossible()
    if reason:
        return Finding("headrace cluster", State.note, "cannot be used", reason)
    return Finding("headrace cluster", State.good, "can be used")


def _mpi(mpi: Mpi) -> Finding:
    mpirun = find_mpirun(mpi)
    if mpirun is None:
        return Finding(mpi, State.note, "no mpirun", "only needed for programs that link it")
    return Finding(mpi, State.good, f"{version_number(str(mpirun))}, {mpirun}")


def _library(mpi: Mpi) -> Finding:
    library = find_library(mpi)
    if library is None:
        state = State.wrong if find_mpirun(mpi) else State.note
        return Finding(library_name(mpi), state, "not built", "run ./demo, or see docs/usage.md")
    missing = missing_libraries(library)
    if missing:
        advice = "install what is missing, or build Headrace again"
        return Finding(library.name, State.wrong, f"needs {', '.join(missing)}", advice)
    return Finding(library.name, State.good, str(library))
