#!/usr/bin/env python3
"""Runs other projects' MPI-IO tests, as they are, with and without Headrace.

fetch gets Debian's sources of MPICH (with ROMIO), HDF5 and PnetCDF, and mpi4py's from PyPI; build
compiles their tests for one MPI; run runs them. A run with --library is compared with the last one
without.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from third_party.build import build, fetch
from third_party.listing import Suites, Test, all_tests


def rank_environment(arguments: argparse.Namespace, here: Path, test: Test) -> list[str]:
    """What only the ranks get: mpirun itself must not be preloaded."""
    settings = {key: value.replace("{here}", str(here)) for key, value in test.environment.items()}
    preload = list(arguments.preload)
    if arguments.library:
        preload.insert(0, str(Path(arguments.library).resolve()))
        settings["HEADRACE_REPORT"] = f"{here}.report"
        settings["HEADRACE_HINTS"] = f"*:headrace_method={arguments.method}"
        settings["HEADRACE_RANKS_PER_NODE"] = str(arguments.ranks_per_node)
    if preload:
        settings["LD_PRELOAD"] = ":".join(preload)
    return ["env", *(f"{key}={value}" for key, value in settings.items())]


def output_of(command: list[str], here: Path, timeout: int) -> tuple[str, str]:
    """The verdict by the exit status, and what was printed."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with (here.parent / "output").open("w+", errors="replace") as output:
        process = subprocess.Popen(
            command, env=environment, cwd=here, stdout=output, stderr=output, start_new_session=True
        )
        try:
            status = process.wait(timeout)
            verdict = "pass" if status == 0 else f"exit {status}"
        except subprocess.TimeoutExpired:
            verdict = "timeout"
            process.terminate()  # mpirun ends its ranks
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output.seek(0)
        return verdict, output.read()


def calls_served(report: Path) -> int:
    lines = report.read_text().splitlines() if report.exists() else []
    counters = [json.loads(line).get("counters", {}) for line in lines]
    return sum(c.get("write_calls", 0) + c.get("read_calls", 0) for c in counters)


def run_commands(
    test: Test, arguments: argparse.Namespace, suites: Suites, here: Path
) -> tuple[str, str]:
    """The verdict on the test, and what it printed."""
    launch = [f"mpirun.{suites.mpi}", "-n", str(test.ranks)]
    launch += ["--oversubscribe"] if suites.mpi == "openmpi" else []
    launch += rank_environment(arguments, here, test)
    for words in filter(None, (test.before, test.command)):
        command = launch + [word.replace("{here}", str(here)) for word in words]
        verdict, output = output_of(command, here, arguments.timeout)
    if verdict == "pass" and not test.passes(output):
        verdict = "errors"
    return verdict, " ".join(command) + "\n" + output


def run_test(test: Test, arguments: argparse.Namespace, suites: Suites) -> tuple[str, int]:
    """The verdict, and how many calls Headrace served, summed over ranks."""
    if not Path(test.command[0]).exists():
        return "not built", 0
    scratch = Path("/dev/shm") / f"headrace-suites.{os.getpid()}"
    here = scratch / "files"
    here.mkdir(parents=True)
    try:
        verdict, output = run_commands(test, arguments, suites, here)
        log = suites.log(kind_of(arguments), test.name)
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(output)
        return verdict, calls_served(Path(f"{here}.report"))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def kind_of(arguments: argparse.Namespace) -> str:
    if not arguments.library:
        return "host"
    return f"{arguments.method}.{arguments.ranks_per_node}"


def load(path: Path) -> dict[str, str]:
    return json.loads(path.read_text()) if path.exists() else {}


def summarize(results: dict[str, str]) -> None:
    totals = Counter(name.split("/")[0] for name in results)
    passes = Counter(name.split("/")[0] for name, verdict in results.items() if verdict == "pass")
    for suite, total in totals.items():
        print(f"{suite:10} {passes[suite]:4} of {total} pass")


def run(arguments: argparse.Namespace, suites: Suites) -> int:
    path = suites.results(kind_of(arguments))
    path.parent.mkdir(parents=True, exist_ok=True)
    host = load(suites.results("host")) if arguments.library else {}
    results = load(path)
    differences = []
    for test in all_tests(suites):
        if arguments.only not in test.name:
            continue
        begin = time.monotonic()
        verdict, calls = run_test(test, arguments, suites)
        results[test.name] = verdict
        path.write_text(json.dumps(results, indent=1))
        line = f"{test.name:45} {verdict:10} {time.monotonic() - begin:6.1f} s {calls:7} calls"
        if host.get(test.name, verdict) != verdict:
            differences.append(test.name)
            line += f"   host: {host[test.name]}"
        print(line, flush=True)
    summarize(results)
    if differences:
        print("not as without Headrace: " + ", ".join(differences))
    return 1 if differences else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["fetch", "build", "run"])
    parser.add_argument("mpi", choices=["openmpi", "mpich"], nargs="?", default="openmpi")
    parser.add_argument("--folder", type=Path, default=Path("build/third-party"))
    parser.add_argument("--library", help="libheadrace-<mpi>.so; without it: the host alone")
    parser.add_argument("--preload", action="append", default=[], help="other libraries to preload")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--ranks-per-node", type=int, default=2)
    parser.add_argument("--only", default="", help="tests whose name contains this: romio/")
    parser.add_argument("--timeout", type=int, default=120, help="seconds of one command")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    suites = Suites(folder, arguments.mpi)
    if arguments.action == "fetch":
        fetch(folder)
    elif arguments.action == "build":
        build(suites)
    else:
        return run(arguments, suites)
    return 0


if __name__ == "__main__":
    sys.exit(main())
