"""Runs every suite of tests, one after the other whatever fails, and adds up their counts.

Each suite's output goes to build/check/<suite>.log, and is shown only when the suite fails. The
last line is "N passed, N failed, N skipped".
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import tally
from tally import Tally

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "build" / "check"
BIN = Path(sys.executable).parent
JOBS = str(len(os.sched_getaffinity(0)))
PYTHON_FOLDERS = ("python", "scripts", "tests")
CXX_FOLDERS = ("src", "include", "tests", "examples", "bench")
SHOWN_LINES = 200
COLOUR = re.compile(r"\x1b\[[\d;]*m")
# What ninja and clang-tidy say of files in which they find nothing wrong.
NOISE = re.compile(r"\[\d+/\d+\] |clang-tidy[-\d]* |\d+ warnings generated\.$")


class Suite:
    """A name, a log, and commands run in the root of the checkout."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.log_path = LOGS / f"{name}.log"
        self.log_path.unlink(missing_ok=True)

    def run(self, *words: str | Path, timeout: int = 1500) -> bool:
        with self.log_path.open("a") as log:
            log.write(f"$ {' '.join(map(str, words))}\n")
            log.flush()
            try:
                answer = subprocess.run(
                    [str(word) for word in words],
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    timeout=timeout,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                log.write(f"stopped after {timeout} s\n")
                return False
        return answer.returncode == 0

    def step(self, what: str, *words: str | Path) -> Tally:
        """A command that counts as one test."""
        return Tally(passed=1) if self.run(*words) else tally.failed(what)

    def junit(self) -> Path:
        path = LOGS / f"{self.name}.xml"
        path.unlink(missing_ok=True)
        return path

    def log_tail(self) -> str:
        lines = COLOUR.sub("", self.log_path.read_text(errors="replace")).splitlines()
        told = [line for line in lines if not NOISE.match(line)]
        return "\n".join(f"   | {line}" for line in told[-SHOWN_LINES:])


def configure_and_build(suite: Suite, preset: str) -> bool:
    return suite.run("cmake", "--preset", preset) and suite.run(
        "cmake", "--build", "--preset", preset, "-j", JOBS
    )


def ctest_suite(preset: str) -> Callable[[Suite], Tally]:
    def run(suite: Suite) -> Tally:
        if not configure_and_build(suite, preset):
            return tally.failed(f"build of the preset {preset}")
        junit = suite.junit()
        options = ["--output-junit", junit, "--output-on-failure", "--timeout", "300", "-j", JOBS]
        suite.run("ctest", "--test-dir", ROOT / "build" / preset, *options)
        return tally.of_junit(junit)

    return run


def python_style(suite: Suite) -> Tally:
    total = suite.step("ruff check", BIN / "ruff", "check", *PYTHON_FOLDERS)
    total.add(suite.step("ruff format", BIN / "ruff", "format", "--check", *PYTHON_FOLDERS))
    return total


def python_tests(suite: Suite, *folders: str) -> Tally:
    junit = suite.junit()
    suite.run(BIN / "python", "-m", "pytest", f"--junitxml={junit}", *folders)
    return tally.of_junit(junit)


def cluster_tests(suite: Suite) -> Tally:
    """Of programs and libraries of the preset release, on nodes of namespaces."""
    if not configure_and_build(suite, "release"):
        return tally.failed("build of the preset release")
    return python_tests(suite, "tests/cluster")


def sources(*endings: str, folders: tuple[str, ...] = CXX_FOLDERS) -> list[Path]:
    found = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return sorted(path for path in found if path.suffix in endings)


def cxx_format(suite: Suite) -> Tally:
    files = sources(".hpp", ".cpp", ".h", ".c")
    return suite.step("clang-format", "clang-format", "--dry-run", "-Werror", *files)


def once_per_file(commands: list[dict[str, str]], folder: Path) -> list[dict[str, str]]:
    """What both MPIs build is looked at with one of them."""
    commands = [command for command in commands if Path(command["file"]).is_relative_to(folder)]
    return list({command["file"]: command for command in commands}.values())


def cxx_lint(suite: Suite) -> Tally:
    """Of the preset dev: it compiles each file by itself. It need only be configured."""
    if not suite.run("cmake", "--preset", "dev"):
        return tally.failed("configuration of the preset dev")
    commands = json.loads((ROOT / "build" / "dev" / "compile_commands.json").read_text())
    database = LOGS / "lint" / "compile_commands.json"
    database.parent.mkdir(exist_ok=True)
    database.write_text(json.dumps(once_per_file(commands, ROOT / "src")))
    options = ["-quiet", "-j", JOBS, "-p", database.parent]
    return suite.step("clang-tidy", "run-clang-tidy", *options)


SUITES: dict[str, Callable[[Suite], Tally]] = {
    "cxx-format": cxx_format,
    "python-style": python_style,
    "release": ctest_suite("release"),
    "python": python_tests,
    "cluster": cluster_tests,
    "asan-ubsan": ctest_suite("asan-ubsan"),
    "tsan": ctest_suite("tsan"),
    "cxx-lint": cxx_lint,
}


def run_suite(name: str, body: Callable[[Suite], Tally]) -> Tally:
    print(f"== {name}", flush=True)
    suite, start = Suite(name), time.monotonic()
    try:
        counts = body(suite)
    except OSError as error:
        counts = tally.failed(f"{name}: {error}")
    if counts.failures and suite.log_path.exists():
        print(suite.log_tail())
    for line in counts.failures:
        print(f"   FAILED  {line}")
    for line in counts.skips:
        print(f"   skipped {line}")
    print(f"   {counts} ({time.monotonic() - start:.0f} s)", flush=True)
    return counts


def main(wanted: list[str]) -> int:
    unknown = set(wanted) - set(SUITES)
    if unknown:
        sys.exit(f"check: no suite {', '.join(unknown)}; there are {', '.join(SUITES)}")
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    total = Tally()
    for name in wanted or SUITES:
        total.add(run_suite(name, SUITES[name]))
    print(total)
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
