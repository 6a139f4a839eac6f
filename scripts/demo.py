"""The main job, shown: one unmodified HDF5 program writes its checkpoint through the host MPI and
through Headrace, and a table compares them."""

import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from headrace.errors import HeadraceError
from headrace.launch import Command, Request, launch_command, launcher
from headrace.libraries import require_library
from headrace.mpis import Mpi

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "examples" / "checkpoint_hdf5.c"
RANKS, RANKS_PER_NODE, EDGE = 16, 4, 128
REPETITIONS = 5
FILE_BYTES = 16 * 8 * EDGE**3
RUN_LIMIT_SECONDS = 120


@dataclass
class Way:
    """One way to run the program: `method` of Headrace, or None for the host MPI alone."""

    title: str
    method: str | None
    writes: list[float] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)


def build_program(folder: Path) -> Path:
    program = folder / "checkpoint_hdf5"
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "hdf5-openmpi"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    subprocess.run(["mpicc.openmpi", "-O2", SOURCE, *flags, "-o", program], check=True)
    return program


def command_of(way: Way, program: list[str], report: Path) -> Command:
    if way.method is None:
        start = launcher(Mpi.openmpi, RANKS)
        return Command([*start.words, *program], start.environment)
    return launch_command(
        Request(
            program,
            Mpi.openmpi,
            require_library(Mpi.openmpi),
            RANKS,
            {"headrace_method": way.method},
            RANKS_PER_NODE,
            report=report,
        )
    )


def run_once(way: Way, program: Path, folder: Path) -> Path:
    """Runs the program, notes its times and counters in `way`, and returns the file it wrote."""
    file, report = folder / f"{way.method or 'host'}.h5", folder / "report.json"
    for old in (file, report):
        old.unlink(missing_ok=True)
    command = command_of(way, [str(program), str(file), str(EDGE)], report)
    answer = subprocess.run(
        command.words,
        env=os.environ | command.environment,
        capture_output=True,
        text=True,
        timeout=RUN_LIMIT_SECONDS,
        check=False,
    )
    if answer.returncode:
        raise HeadraceError(f"{way.title} failed:\n{answer.stdout}{answer.stderr}")
    way.writes.append(seconds("write", answer.stdout))
    way.reads.append(seconds("read", answer.stdout))
    if way.method:
        way.counters = write_counters(report, way)
    return file


def seconds(what: str, output: str) -> float:
    found = re.search(rf"^{what} ([\d.]+) s$", output, re.MULTILINE)
    if not found:
        raise HeadraceError(f"the program did not say how long its {what} took:\n{output}")
    return float(found.group(1))


def write_counters(report: Path, way: Way) -> dict[str, int]:
    """The counters of the file that was written; the program then opens it again to read it."""
    lines = report.read_text().splitlines() if report.exists() else []
    for line in lines:
        counters = json.loads(line)["counters"]
        if counters["write_calls"]:
            return counters
    raise HeadraceError(f"{way.title}: no collective write was served by Headrace")


def compare_files(files: list[Path]) -> None:
    for file in files[1:]:
        if not filecmp.cmp(files[0], file, shallow=False):
            raise HeadraceError(f"{file.name} differs from {files[0].name}")


def measure(ways: list[Way], program: Path, folder: Path, console: Console) -> None:
    """The ways take turns, so that what else the machine does falls on all of them."""
    for repetition in range(REPETITIONS):
        console.print(f"   round {repetition + 1} of {REPETITIONS}")
        compare_files([run_once(way, program, folder) for way in ways])


def table_of(ways: list[Way]) -> Table:
    table = Table(title="One checkpoint, the same program and the same bytes", title_justify="left")
    table.add_column("way")
    for heading in (
        *("write s", "write MB/s", "read s", "read MB/s"),
        *("requests before", "requests after", "messages", "write ratio", "read ratio"),
    ):
        table.add_column(heading, justify="right")
    for way in ways:
        table.add_row(way.title, *speeds(way), *requests(way), *ratios(way, ways[0]))
    return table


def speeds(way: Way) -> list[str]:
    times = (median(way.writes), median(way.reads))
    return [text for time in times for text in (f"{time:.3f}", f"{FILE_BYTES / time / 1e6:,.0f}")]


def requests(way: Way) -> list[str]:
    keys = ("requests_before", "requests_after", "messages")
    return [f"{way.counters[key]:,}" if way.counters else "-" for key in keys]


def ratios(way: Way, host: Way) -> list[str]:
    return [
        f"{median(host.writes) / median(way.writes):.2f}x",
        f"{median(host.reads) / median(way.reads):.2f}x",
    ]


def explain(console: Console, folder: Path) -> None:
    console.print(
        f"{SOURCE.relative_to(ROOT)}: a cube of {EDGE}^3 cells, {FILE_BYTES / 1e6:.0f} MB, on "
        f"{RANKS} ranks of Open MPI cut into {RANKS // RANKS_PER_NODE} make-believe nodes, in "
        f"{folder}; medians of {REPETITIONS} runs that take turns. The host is Open MPI's default, "
        "OMPIO. Requests and messages are the write's; before and after local aggregation."
    )


def next_steps(console: Console) -> None:
    console.print(
        "The three files are the same bytes.\n\n"
        f"The command is {ROOT}/.venv/bin/headrace. Try it on a program of yours:\n"
        "  .venv/bin/headrace run -n 8 --ranks-per-node 4 --stats -- ./your_program\n"
        "and see README.md for LD_PRELOAD by hand, for clusters, and for libraries.",
        soft_wrap=True,
    )


def scratch_folder() -> Path:
    """Memory where there is room for three files, so that a disk does not drown the difference."""
    shm = Path("/dev/shm")
    roomy = shm.is_dir() and shutil.disk_usage(shm).free > 4 * FILE_BYTES
    return Path(tempfile.mkdtemp(prefix="headrace-demo-", dir=shm if roomy else None))


def main() -> None:
    console = Console(highlight=False)
    ways = [
        Way("host MPI-IO", None),
        Way("Headrace two_phase", "two_phase"),
        Way("Headrace tam", "tam"),
    ]
    folder = scratch_folder()
    try:
        console.print("== Running the checkpoint three ways")
        measure(ways, build_program(folder), folder, console)
        console.print(table_of(ways))
        explain(console, folder)
        next_steps(console)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    try:
        main()
    except HeadraceError as error:
        sys.exit(f"demo: {error}")
