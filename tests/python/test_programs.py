"""Which MPI a program uses is told from the program itself."""

import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from headrace.errors import HeadraceError
from headrace.mpis import Mpi, mpi_of_sonames
from headrace.programs import mpi_of_program

DEBIAN_PYTHON = Path("/usr/bin/python3")
DEBIAN_MPI4PY = Path("/usr/lib/python3/dist-packages/mpi4py")


def script(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_binary_shows_the_mpi_it_links(mpi: Mpi, mpi_program: Callable[[Mpi], Path]) -> None:
    assert mpi_of_program(str(mpi_program(mpi))) is mpi


def test_library_that_needs_mpi_is_followed(
    mpi: Mpi, tmp_path: Path, mpi_program: Callable[[Mpi], Path]
) -> None:
    # The program needs libouter.so, which alone needs the MPI.
    outer, main = tmp_path / "outer.c", tmp_path / "main.c"
    outer.write_text("#include <mpi.h>\nint outer(void) { int f; return MPI_Initialized(&f); }\n")
    main.write_text("int outer(void);\nint main(void) { return outer(); }\n")
    library, program = tmp_path / "libouter.so", tmp_path / "program"
    subprocess.run([f"mpicc.{mpi}", "-shared", "-fPIC", outer, "-o", library], check=True)
    subprocess.run(["cc", main, library, f"-Wl,-rpath,{tmp_path}", "-o", program], check=True)
    assert mpi_of_program(str(program)) is mpi


def test_program_without_mpi_asks_for_the_option() -> None:
    with pytest.raises(HeadraceError, match=r"(?s)links neither.*--mpi openmpi or --mpi mpich"):
        mpi_of_program("true")


def test_missing_program_is_named() -> None:
    with pytest.raises(HeadraceError, match="no-such-program: no such program"):
        mpi_of_program("no-such-program")


def test_two_mpis_at_once_are_not_guessed_between() -> None:
    assert mpi_of_sonames({"libmpi.so.40", "libmpich.so.12"}) is None


def test_mpich_is_known_by_its_own_soname() -> None:
    assert mpi_of_sonames({"libc.so.6", "libmpi.so.12"}) is Mpi.mpich


@pytest.mark.skipif(not DEBIAN_MPI4PY.is_dir(), reason="python3-mpi4py is not installed")
@pytest.mark.parametrize("shebang", ["/usr/bin/python3", "/usr/bin/env -S /usr/bin/python3 -u"])
def test_python_script_shows_the_mpi_of_mpi4py(tmp_path: Path, shebang: str) -> None:
    name = script(tmp_path / "job", f"#!{shebang}\nfrom mpi4py import MPI\n")
    assert mpi_of_program(name) is mpi_of_program(str(DEBIAN_PYTHON)) is Mpi.openmpi


def test_python_without_mpi4py_asks_for_the_option() -> None:
    with pytest.raises(HeadraceError, match=r"has no mpi4py .* Say which with --mpi"):
        mpi_of_program(sys.executable)


def test_shell_script_asks_for_the_option(tmp_path: Path) -> None:
    with pytest.raises(HeadraceError, match=r"is a script.* Say which with --mpi"):
        mpi_of_program(script(tmp_path / "job", "#!/bin/sh\nexec true\n"))
