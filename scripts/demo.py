"""The main job, shown: one unmodified HDF5 program writes its checkpoint and reads it back, through
both engines that Open MPI has and through Headrace, and a table compares them."""

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
from headrace.folders import roomy_folder
from headrace.launch import Command, Request, launch_command, launcher
from headrace.libraries import require_library
from headrace.mpis import Mpi, romio_of_openmpi

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "examples" / "checkpoint_hdf5.c"
RANKS, RANKS_PER_NODE, EDGE = 16, 4, 128
REPETITIONS = 3
FILE_BYTES = 16 * 8 * EDGE**3
RUN_LIMIT_SECONDS = 120
# Rows of the table, and the counters of the report that they show.
COUNTERS = {
    "requests before aggregation": "requests_before",
    "requests after aggregation": "requests_after",
    "messages between nodes": "messages",
}


@dataclass
class Way:
    """One way to run the program: by a method of Headrace, or by an `io` component of Open MPI."""

    title: str
    method: str | None = None
    component: str | None = None
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
    if way.component:
        start = launcher(Mpi.openmpi, RANKS)
        environment = start.environment | {"OMPI_MCA_io": way.component}
        return Command([*start.words, *program], environment)
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
    file, report = folder / f"{way.title}.h5", folder / "report.json"
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
        console.print(f"   turn {repetition + 1} of {REPETITIONS}")
        compare_files([run_once(way, program, folder) for way in ways])


def table_of(ways: list[Way]) -> Table:
    table = Table(title=f"One checkpoint of {FILE_BYTES / 1e6:.0f} MB", title_justify="left")
    table.add_column("")
    for way in ways:
        engine = "Headrace" if way.method else "Open MPI"
        table.add_column(f"{engine}\n{way.title}", justify="right")
    add_speed_rows(table, "write", [way.writes for way in ways], ways)
    add_speed_rows(table, "read", [way.reads for way in ways], ways)
    for title, counter in COUNTERS.items():
        table.add_row(title, *(shown_counter(way, counter) for way in ways))
    return table


def add_speed_rows(table: Table, what: str, runs: list[list[float]], ways: list[Way]) -> None:
    times = [median(run) for run in runs]
    best_host = min(time for time, way in zip(times, ways, strict=True) if way.component)
    table.add_row(f"{what}, s", *(f"{time:.3f}" for time in times))
    table.add_row(f"{what}, MB/s", *(f"{FILE_BYTES / time / 1e6:,.0f}" for time in times))
    ratios = (f"{best_host / time:.2f}x" for time in times)
    table.add_row(f"{what}, ratio to faster Open MPI", *ratios, end_section=True)


def shown_counter(way: Way, counter: str) -> str:
    return f"{way.counters[counter]:,}" if way.counters else "-"


def explain(console: Console, folder: Path) -> None:
    console.print(
        f"{SOURCE.relative_to(ROOT)}: a cube of {EDGE}^3 cells, 128 bytes each, on {RANKS} ranks "
        f"cut into {RANKS // RANKS_PER_NODE} make-believe nodes of this machine "
        f"({len(os.sched_getaffinity(0))} cores), in {folder.parent}. Times are medians of "
        f"{REPETITIONS} runs; the ways take turns. Requests are the offset-length pairs of the "
        "write, of all ranks, before and after local aggregation. Open MPI does not tell its own. "
        "To it, all ranks are on one node: Headrace does the extra work of four.",
        soft_wrap=False,
    )


def next_steps(console: Console) -> None:
    console.print(
        "\nThe files of all ways are the same bytes, in every turn.\n\n"
        f"The command is {ROOT}/.venv/bin/headrace. Try it on a program of yours:\n"
        "  .venv/bin/headrace run -n 8 --ranks-per-node 4 --stats -- ./your_program\n"
        "README.md says how to preload by hand and how to use it in a library.",
        soft_wrap=True,
    )


def main() -> None:
    console = Console(highlight=False)
    ways = [Way("OMPIO", component="ompio")]
    if romio := romio_of_openmpi():
        ways.append(Way("ROMIO", component=romio))
    ways += [Way("two_phase", method="two_phase"), Way("tam", method="tam")]
    folder = Path(tempfile.mkdtemp(prefix="headrace-demo-", dir=roomy_folder(5 * FILE_BYTES)))
    try:
        console.print(
            "== Running one checkpoint program, which knows nothing of Headrace, "
            f"in {len(ways)} ways"
        )
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
