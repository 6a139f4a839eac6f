"""The tests of other projects: what they are called, how they run and how they tell a failure."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

# A name, its ranks, and whether it takes its file by the option -fname. Left out are coll_perf and
# large_array, which need 14 and 9 GiB of memory.
ROMIO_TESTS = """
simple 4 -fname, async 4 -fname, async-multiple 4 -fname, atomicity 4 -fname, coll_test 4 -fname,
darray_read 4 -fname, excl 4 -fname, file_info 4 -fname, i_noncontig 2 -fname, noncontig 2 -fname,
noncontig_coll 2 -fname, noncontig_coll2 4 -fname, misc 4 -fname, shared_fp 4 -fname,
ordered_fp 4 -fname, split_coll 4 -fname, psimple 4 -fname, error 1 -fname, status 1 -fname,
perf 4 -fname, aggregation1 4 -fname, aggregation2 4, hindexed 4,
types_with_zeros 2 -fname, creat_excl 4 -fname, external32 4, syshints 1, big_extents 4
"""
ROMIO_COMPLAINT = re.compile(
    r"[Ff]ound [1-9]\d* errors|not ok|expected.*got|[Ee]rror in|is wrong", re.MULTILINE
)
# Which sources make an HDF5 program, where they are not one of its name.
HDF5_SOURCES = {
    "testphdf5": ["testphdf5", "t_dset", "t_file", "t_file_image", "t_mdset", "t_ph5basic"]
    + ["t_coll_chunk", "t_span_tree", "t_chunk_alloc", "t_filter_read", "t_prop"]
    + ["t_coll_md_read"]
}
HDF5_TESTS = ["testphdf5", "t_mpi", "t_shapesame", "t_filters_parallel", "t_pread", "t_init_term"]
# What runs before them leaves the file that they look at.
HDF5_SEQUELS = {"t_prestart": "t_pshutdown", "t_pflush2": "t_pflush1"}
# Programs of one rank, as PnetCDF's own scripts run them.
PNETCDF_SERIAL = ("nc_test", "cdf_format")
PNETCDF_FOLDERS = ("testcases", "C", "nonblocking", "header", *PNETCDF_SERIAL)


@dataclass(frozen=True)
class Test:
    """A command run in a fresh folder {here}, after `before`, which may end as it likes."""

    name: str
    ranks: int
    command: list[str]
    before: list[str] = field(default_factory=list)
    passes: Callable[[str], bool] = field(default=lambda output: True)
    environment: dict[str, str] = field(default_factory=dict)


class Suites:
    """The sources, the programs of one MPI, and the results, all in one folder."""

    def __init__(self, folder: Path, mpi: str) -> None:
        self.folder = folder
        self.mpi = mpi
        self.bin = folder / "bin" / mpi

    def source(self, package: str) -> Path:
        found = sorted(p for p in self.folder.glob(f"{package}-*") if p.is_dir())
        if not found:
            sys.exit(f"no source of {package} in {self.folder}: run fetch first")
        return found[-1]

    def results(self, kind: str) -> Path:
        return self.folder / "results" / f"{self.mpi}.{kind}.json"

    def log(self, kind: str, test: str) -> Path:
        return self.folder / "logs" / f"{self.mpi}.{kind}" / test.replace("/", ".")


def mpich_list(suites: Suites) -> Iterator[tuple[str, int, list[str]]]:
    """Tests that need gigabytes of memory are left out."""
    text = (suites.source("mpich") / "test/mpi/io/testlist.in").read_text()
    for line in text.splitlines():
        words = line.split()
        if words and words[0][0] != "#" and not any(w.startswith("mem=") for w in words):
            arguments = [w.removeprefix("arg=") for w in words[2:] if w.startswith("arg=")]
            yield words[0], int(words[1]), arguments


def romio_list() -> Iterator[tuple[str, int, list[str]]]:
    for entry in ROMIO_TESTS.replace("\n", " ").split(","):
        name, ranks, *option = entry.split()
        yield name, int(ranks), option


def romio_tests(suites: Suites) -> Iterator[Test]:
    for name, ranks, option in romio_list():
        command = [str(suites.bin / "romio" / name), *option, "{here}/f"]
        yield Test(
            f"romio/{name}",
            ranks,
            command,
            passes=lambda output: ROMIO_COMPLAINT.search(output) is None,
        )


def mpich_tests(suites: Suites) -> Iterator[Test]:
    for name, ranks, arguments in mpich_list(suites):
        command = [str(suites.bin / "mpich" / name), *arguments]
        yield Test(f"mpich/{name}", ranks, command, passes=lambda output: "No Errors" in output)


def hdf5_tests(suites: Suites) -> Iterator[Test]:
    folder = suites.bin / "hdf5"
    environment = {"HDF5_PARAPREFIX": "{here}"}
    for name in [*HDF5_TESTS, *HDF5_SEQUELS]:
        before = [str(folder / HDF5_SEQUELS[name])] if name in HDF5_SEQUELS else []
        yield Test(f"hdf5/{name}", 4, [str(folder / name)], before, environment=environment)


def pnetcdf_command(program: Path) -> list[str]:
    corrupt_files = str(program.parent)
    arguments = {
        "nc_test": ["-5", "-d", "{here}"],
        "tst_open_cdf5": [f"{corrupt_files}/bad_begin.nc5"],
        "test_inq_format": [corrupt_files],
        "tst_corrupt": [corrupt_files],
    }
    return [str(program), *arguments.get(program.name, ["{here}/f"])]


def pnetcdf_tests(suites: Suites) -> Iterator[Test]:
    tests = suites.bin / "pnetcdf" / "test"
    sequels = {"pres_temp_4D_rd": [str(tests / "C/pres_temp_4D_wr"), "{here}/f"]}
    for folder in PNETCDF_FOLDERS:
        for source in sorted((tests / folder).glob("*.c")):
            program = source.with_suffix("")
            if os.access(program, os.X_OK):
                yield Test(
                    f"pnetcdf/{folder}/{program.name}",
                    1 if folder in PNETCDF_SERIAL else 4,
                    pnetcdf_command(program),
                    sequels.get(program.name, []),
                )


def mpi4py_tests(suites: Suites) -> Iterator[Test]:
    runner = [str(suites.source("mpi4py") / "test/runtests.py"), "--no-builddir", "-v"]
    built = next((suites.bin / "mpi4py").glob("lib*"), None)
    environment = {"PYTHONPATH": str(built)} if built else {}
    for module in ("test_io", "test_file"):
        for ranks in (1, 3):
            command = ["/usr/bin/python3", *runner, "-i", f"^{module}$"]
            yield Test(f"mpi4py/{module}.{ranks}", ranks, command, environment=environment)


def all_tests(suites: Suites) -> Iterator[Test]:
    for tests in (mpich_tests, romio_tests, hdf5_tests, pnetcdf_tests, mpi4py_tests):
        yield from tests(suites)
