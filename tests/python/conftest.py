"""Programs and a stand-in library compiled for the tests, once for each MPI of this machine."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from headrace.mpis import Mpi

SOURCES = Path(__file__).parent / "sources"
HEADRACE = Path(shutil.which("headrace") or Path(__file__).parents[2] / ".venv/bin/headrace")


def compile_with(compiler: str, source: str, output: Path, *flags: str) -> Path:
    subprocess.run([compiler, str(SOURCES / source), "-o", str(output), *flags], check=True)
    return output


@pytest.fixture(scope="session")
def mpi_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Mpi], Path]:
    """A program of MPI ranks that shows its environment, and exits as its argument says."""
    folder = tmp_path_factory.mktemp("programs")

    def build(mpi: Mpi) -> Path:
        program = folder / f"show-{mpi}"
        if not program.exists():
            compile_with(f"mpicc.{mpi}", "show_environment.c", program)
        return program

    return build


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of libraries that tell, at load, into which process they were loaded."""
    folder = tmp_path_factory.mktemp("libraries with a space")
    for mpi in Mpi:
        compile_with("cc", "say_loaded.c", folder / f"libheadrace-{mpi}.so", "-shared", "-fPIC")
    return folder
