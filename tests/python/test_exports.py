"""What the library takes over of its MPI: all functions of a file's handle, which is Headrace's."""

import re
import subprocess
from pathlib import Path

import pytest

from headrace.libraries import find_library
from headrace.mpis import Mpi

# Those that take no handle of a file.
HOSTS_OWN = {"MPI_File_create_errhandler", "MPI_File_delete"}


def functions_of_files(library: Path) -> set[str]:
    answer = subprocess.run(
        ["nm", "--dynamic", "--defined-only", library], capture_output=True, text=True, check=True
    )
    return set(re.findall(r" [TW] (P?MPI_File_\w+)$", answer.stdout, re.MULTILINE))


def host_of(library: Path) -> Path:
    answer = subprocess.run(["ldd", library], capture_output=True, text=True, check=True)
    found = re.search(r"^\s*libmpi(?:ch)?\.so\S* => (\S+)", answer.stdout, re.MULTILINE)
    assert found is not None
    return Path(found[1])


@pytest.mark.parametrize("mpi", list(Mpi))
def test_every_function_of_a_files_handle_is_taken_over(mpi: Mpi) -> None:
    library = find_library(mpi)
    if library is None:
        pytest.skip(f"the library for {mpi} is not built")
    hosts = functions_of_files(host_of(library))
    assert len(hosts) > 100
    left = {name.removeprefix("P") for name in hosts - functions_of_files(library)}
    assert left == HOSTS_OWN
