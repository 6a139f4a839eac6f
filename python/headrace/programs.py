"""Finds the MPI of a program: of a binary by what it links, of a script by its interpreter."""

import re
import shutil
import subprocess
from pathlib import Path

from headrace.elf import is_elf, needed_libraries, starts_with
from headrace.errors import HeadraceError
from headrace.mpis import Mpi, mpi_of_sonames

_ASK = "Say which with --mpi openmpi or --mpi mpich."
_PYTHON = re.compile(r"python[\d.]*$")
# find_spec imports the package mpi4py but not its module MPI, which would start MPI.
_WHERE_IS_MPI4PY = """
import importlib.util as util
spec = util.find_spec("mpi4py") and util.find_spec("mpi4py.MPI")
print(spec.origin if spec else "")
"""


def find_program(name: str) -> Path:
    path = shutil.which(name)
    if path is None:
        raise HeadraceError(f"{name}: no such program, here or on PATH, or it is not executable.")
    return Path(path)


def mpi_of_program(name: str) -> Mpi:
    """The MPI that the program `name` is linked with; HeadraceError when it cannot be told."""
    program = find_program(name)
    if _PYTHON.search(program.name):
        return _mpi_of_python(program)
    if is_elf(program):
        return _mpi_of_binary(program)
    return _mpi_of_script(program)


def _mpi_of_binary(program: Path) -> Mpi:
    mpi = mpi_of_sonames(needed_libraries(program))
    if mpi is None:
        raise HeadraceError(
            f"{program} does not show which MPI it uses: it links neither Open MPI nor MPICH as a "
            f"shared library, or both. {_ASK}"
        )
    return mpi


def _mpi_of_script(script: Path) -> Mpi:
    words = _shebang(script)
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if word != "-S" and "=" not in word]
    if not words or not _PYTHON.search(Path(words[0]).name):
        raise HeadraceError(
            f"{script} is a script, and does not show which MPI the programs it starts use. {_ASK}"
        )
    return _mpi_of_python(find_program(words[0]))


def _shebang(script: Path) -> list[str]:
    if not starts_with(script, b"#!"):
        return []
    with script.open("rb") as file:
        return file.readline()[2:].decode(errors="replace").split()


def _mpi_of_python(python: Path) -> Mpi:
    answer = subprocess.run(
        [python, "-c", _WHERE_IS_MPI4PY], capture_output=True, text=True, check=False
    )
    extension = Path(answer.stdout.strip())
    if not extension.is_file():
        raise HeadraceError(f"{python} has no mpi4py to show which MPI it uses. {_ASK}")
    return _mpi_of_binary(extension)
