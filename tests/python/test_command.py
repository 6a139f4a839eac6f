"""The `headrace` command as a user types it, through the real launchers."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from conftest import HEADRACE
from headrace.mpis import Mpi, find_mpirun

Program = Callable[[Mpi], Path]


def headrace(*words: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
    if folder:
        environment["HEADRACE_LIBRARY_DIR"] = str(folder)
    return subprocess.run(
        [str(HEADRACE), *map(str, words)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )


def test_settings_reach_every_rank(mpi: Mpi, mpi_program: Program, stand_in: Path) -> None:
    options = ["-n", 2, "--method", "tam", "--hints", "cb_nodes=1", "--ranks-per-node", 1]
    answer = headrace("run", *options, "--", mpi_program(mpi), folder=stand_in)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == [
        "ranks=2",
        "HEADRACE_HINTS=*:cb_nodes=1:headrace_method=tam",
        "HEADRACE_RANKS_PER_NODE=1",
    ]


def test_only_the_program_is_preloaded(mpi: Mpi, mpi_program: Program, stand_in: Path) -> None:
    program = mpi_program(mpi)
    answer = headrace("run", "-n", 2, "--", program, folder=stand_in)
    loaded = [line for line in answer.stderr.splitlines() if line.startswith("loaded into")]
    assert loaded == [f"loaded into {program.name}"] * 2


def test_exit_status_is_the_programs(mpi: Mpi, mpi_program: Program, stand_in: Path) -> None:
    assert headrace("run", "-n", 1, "--", mpi_program(mpi), 7, folder=stand_in).returncode == 7


def test_program_options_need_no_separator(mpi: Mpi, mpi_program: Program, stand_in: Path) -> None:
    assert headrace("run", "-n", 1, mpi_program(mpi), "--stats", folder=stand_in).returncode == 0


def test_unknown_program_is_a_message_and_no_traceback() -> None:
    answer = headrace("run", "-n", 1, "--", "/no/such/program")
    assert answer.returncode == 2
    assert answer.stderr.startswith("headrace: /no/such/program: no such program")
    assert "Traceback" not in answer.stderr


def test_lib_prints_the_path(stand_in: Path) -> None:
    answer = headrace("lib", "--mpi", "mpich", folder=stand_in)
    assert answer.stdout == f"{stand_in}/libheadrace-mpich.so\n"


def test_doctor_names_every_mpi_and_library(stand_in: Path) -> None:
    answer = headrace("doctor", folder=stand_in)
    assert answer.returncode == 0 if any(find_mpirun(mpi) for mpi in Mpi) else 1
    for subject in ("openmpi", "mpich", "libheadrace-mpich.so", "/dev/shm", "memfd_create"):
        assert subject in answer.stdout
