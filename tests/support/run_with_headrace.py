#!/usr/bin/env python3
"""Runs an MPI program with Headrace preloaded, and checks that it passes and that Headrace did it.

The verdict is the program's exit status and, from the report that Headrace writes, the number of
collective calls it served. Exit status 77: skipped, the reason being printed.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

SKIPPED = 77


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--ranks-per-node", type=int, help="make-believe nodes of this many ranks")
    parser.add_argument("--method", help="the hint headrace_method, for every file")
    parser.add_argument("--library", help="libheadrace-<mpi>.so; without it: the host alone")
    parser.add_argument("--preload", action="append", default=[], help="other libraries to preload")
    parser.add_argument("--io", help="Open MPI's io component: ompio or romio321")
    parser.add_argument("--writes", action="store_true", help="Headrace must serve writes")
    parser.add_argument("--reads", action="store_true", help="Headrace must serve reads")
    parser.add_argument("--no-host-calls", action="store_true", help="none may go to the host")
    parser.add_argument(
        "--compare",
        action="store_true",
        help="run without Headrace too: the files left behind must be the same",
    )
    parser.add_argument("--small-file-system", metavar="SIZE", help="run on a tmpfs of this size")
    parser.add_argument("--needs-memory", type=int, default=0, metavar="GIB")
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if arguments.program[:1] == ["--"]:
        arguments.program = arguments.program[1:]
    return arguments


def skip(reason: str) -> None:
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def available_gib() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) >> 20
    return 0


def rank_environment(
    arguments: argparse.Namespace, directory: Path, report: Path | None
) -> list[str]:
    """What only the ranks get: mpirun itself must not be preloaded."""
    settings = {"HEADRACE_TEST_DIR": str(directory)}
    preload = list(arguments.preload)
    if report is not None:
        preload.insert(0, arguments.library)
        settings["HEADRACE_REPORT"] = str(report)
        if arguments.ranks_per_node:
            settings["HEADRACE_RANKS_PER_NODE"] = str(arguments.ranks_per_node)
        if arguments.method:
            settings["HEADRACE_HINTS"] = f"*:headrace_method={arguments.method}"
    if preload:
        settings["LD_PRELOAD"] = ":".join(preload)
    return ["env"] + [f"{key}={value}" for key, value in settings.items()]


def launcher(arguments: argparse.Namespace) -> list[str]:
    command = [arguments.mpirun, "-n", str(arguments.ranks)]
    if arguments.mpi == "openmpi":
        command += ["--oversubscribe"]
        if arguments.io:
            command += ["--mca", "io", arguments.io]
    return command


def on_small_file_system(command: list[str], directory: Path, size: str) -> list[str]:
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0:
        skip("a small tmpfs needs root and mount namespaces")
    mount = f"mount -t tmpfs -o size={size} tmpfs {shlex.quote(str(directory))} && exec "
    return ["unshare", "-m", "sh", "-c", mount + shlex.join(command)]


def run_to_end(command: list[str], timeout: int) -> int:
    """The exit status; a program that takes longer is ended with all its ranks."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        print(f"still running after {timeout} s: {shlex.join(command)}", file=sys.stderr)
        process.terminate()  # mpirun ends its ranks
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return 1


def run(arguments: argparse.Namespace, directory: Path, report: Path | None) -> int:
    directory.mkdir()
    command = launcher(arguments) + rank_environment(arguments, directory, report)
    command += arguments.program
    if arguments.small_file_system:
        command = on_small_file_system(command, directory, arguments.small_file_system)
    return run_to_end(command, arguments.timeout)


def read_counters(report: Path) -> Counter[str]:
    """The sums over all files of the report."""
    totals: Counter[str] = Counter()
    lines = report.read_text().splitlines() if report.exists() else []
    for line in lines:
        entry = json.loads(line)
        for key, value in {**entry, **entry.get("counters", {})}.items():
            if isinstance(value, int) and not isinstance(value, bool):
                totals[key] += value
    return totals


def counter_complaints(arguments: argparse.Namespace, counters: Counter[str]) -> list[str]:
    complaints = []
    if arguments.writes and counters["write_calls"] == 0:
        complaints.append("Headrace served no collective write")
    if arguments.reads and counters["read_calls"] == 0:
        complaints.append("Headrace served no collective read")
    if arguments.no_host_calls and counters["host_calls"] > 0:
        complaints.append(f"{counters['host_calls']} collective calls were left to the host")
    return complaints


def file_complaints(with_headrace: Path, without: Path) -> list[str]:
    names = sorted({p.name for p in with_headrace.iterdir()} | {p.name for p in without.iterdir()})
    complaints = [] if names else ["the program left no file to compare"]
    for name in names:
        left, right = with_headrace / name, without / name
        if not (left.exists() and right.exists() and left.read_bytes() == right.read_bytes()):
            complaints.append(f"{name} is not the same with and without Headrace")
    return complaints


def complaints_of_run(arguments: argparse.Namespace, scratch: Path) -> list[str]:
    report = scratch / "report.json" if arguments.library else None
    status = run(arguments, scratch / "files", report)
    if status != 0:
        return [f"exit status {status}"]
    if report is None:
        return []
    complaints = counter_complaints(arguments, read_counters(report))
    if arguments.compare:
        if run(arguments, scratch / "host_files", None) != 0:
            skip("the program fails without Headrace")
        complaints += file_complaints(scratch / "files", scratch / "host_files")
    return complaints


def main() -> int:
    arguments = parse_arguments()
    if arguments.needs_memory > available_gib():
        skip(f"needs {arguments.needs_memory} GiB of free memory")
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    scratch = Path(tempfile.mkdtemp(prefix="headrace-test.", dir=parent))
    try:
        complaints = complaints_of_run(arguments, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    for complaint in complaints:
        print(f"FAILED: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
