"""One run of one subject: its job is written, its MPI program launched, and its result read."""

import ctypes
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headrace.bench.subjects import Subject, Way
from headrace.bench_format import Run, Times
from headrace.cluster import Cluster
from headrace.errors import HeadraceError
from headrace.launch import Command, Request, launch_command
from headrace.libraries import require_library, require_program


@dataclass(frozen=True)
class Task:
    """What every subject of a benchmark is to do."""

    workload: str
    settings: Mapping[str, str]
    calls: int
    bytes_per_call: int
    ranks: int
    folder: Path
    read: bool = False
    hints: Mapping[str, str] = field(default_factory=dict)
    ranks_per_node: int | None = None
    cluster: Cluster | None = None
    plant: int | None = None
    limit_seconds: float = 180


@dataclass
class Outcome:
    """Of one run. `message` says what went wrong, if anything did."""

    run: Run | None = None
    message: str = ""
    reports: list[dict[str, Any]] = field(default_factory=list)  # lines of HEADRACE_REPORT


def run_subject(subject: Subject, task: Task) -> Outcome:
    """Runs `subject` once. What it leaves in the task's folder is removed."""
    files = {name: task.folder / f"{subject.name}.{name}" for name in ("job", "result", "report")}
    data = task.folder / f"{subject.name}.dat"
    try:
        files["job"].write_text(json.dumps(_job(subject, task, data)))
        message = _execute(_command(subject, task, files), task.limit_seconds)
        if message:
            return Outcome(message=message)
        return _outcome(json.loads(files["result"].read_text()), data, files["report"])
    finally:
        for path in (data, *files.values()):
            path.unlink(missing_ok=True)


def _job(subject: Subject, task: Task, data: Path) -> dict[str, Any]:
    is_floor = subject.way in (Way.contiguous, Way.memcpy)
    what = (
        {"bytes": task.bytes_per_call}
        if is_floor
        else {"workload": task.workload, "settings": dict(task.settings)}
    )
    return what | {
        "calls": task.calls,
        "way": subject.way.value,
        "hints": {**task.hints, **subject.hints} if subject.way is Way.mpi_io else {},
        "path": str(data),
        "read": task.read,
        "plant": task.plant,
    }


def _command(subject: Subject, task: Task, files: Mapping[str, Path]) -> Command:
    program = require_program(f"headrace-bench-{subject.mpi}")
    request = Request(
        [str(program), str(files["job"]), str(files["result"])],
        subject.mpi,
        require_library(subject.mpi) if subject.method else None,
        task.ranks,
        {"headrace_method": subject.method} if subject.method else {},
        task.ranks_per_node if subject.method else None,
        report=files["report"] if subject.method else None,
        cluster=task.cluster,
        yields=subject.yields,
    )
    command = launch_command(request)
    return Command(command.words, command.environment | subject.environment)


def _execute(command: Command, limit_seconds: float) -> str:
    """Why it failed, or nothing. The launcher and all that it started end with this call."""
    _adopt_orphans()
    try:
        process = subprocess.Popen(
            command.words,
            env=_clean_environment() | command.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        output, _ = process.communicate(timeout=limit_seconds)
    except subprocess.TimeoutExpired:
        return f"was stopped after {limit_seconds:g} s"
    finally:
        _end_children()  # an interrupt may fall within Popen, when there is a child and no object
    return _reason(output) if process.returncode else ""


def _end_children() -> None:
    """Launchers end their ranks when they are asked to, if not at once, and not all of them."""
    asked = _signal_children(signal.SIGTERM)
    given_up = time.monotonic() + 5
    while left := _children():
        if asked.isdisjoint(left) or time.monotonic() > given_up:
            _signal_children(signal.SIGKILL)
        if os.waitpid(-1, os.WNOHANG)[0] == 0:
            time.sleep(0.01)


def _signal_children(number: signal.Signals) -> set[int]:
    children = _children()
    for child in children:
        os.kill(child, number)  # nobody has waited for it, so its number is no other's
    return children


def _adopt_orphans() -> None:
    """From now on, whom the launcher leaves behind becomes this process's child."""
    set_child_subreaper = 36
    if ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0) != 0:
        raise HeadraceError("prctl(PR_SET_CHILD_SUBREAPER) failed, which Linux has since 3.4.")


def _children() -> set[int]:
    """Nothing else is started while a run is on, so they are all the launcher's."""
    return {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}


def _clean_environment() -> dict[str, str]:
    """Without what would load Headrace, or set it, for peers too."""
    return {key: value for key, value in os.environ.items() if not key.startswith("HEADRACE_")}


def _reason(output: str) -> str:
    found = re.search(r"^bench: (.*)$", output, re.MULTILINE)
    lines = [line for line in output.splitlines() if line.strip()]
    return found.group(1) if found else (lines[-1].strip() if lines else "failed and said nothing")


def _outcome(result: dict[str, Any], data: Path, report: Path) -> Outcome:
    wrong = result["wrong"]
    run: Run = {"verified": wrong is None}
    for operation in ("write", "read"):
        if operation in result:
            run[operation] = _times(result[operation])
    lines = report.read_text().splitlines() if report.exists() else []
    return Outcome(
        run, _wrong_byte(wrong, data) if wrong else "", [json.loads(line) for line in lines]
    )


def _times(told: dict[str, Any]) -> Times:
    whole = told["open"] + sum(told["calls"]) + told["close"]
    return {
        "open": told["open"],
        "calls": told["calls"],
        "responses": told["responses"],
        "close": told["close"],
        "whole": whole,
    }


def _wrong_byte(wrong: dict[str, Any], data: Path) -> str:
    where = f"the byte at offset {wrong['offset']} of {data}"
    if wrong["rank"] < 0:
        return f"{where} was written, though it is no rank's"
    seen = "" if wrong["in"] == "file" else " in its buffer after the read"
    return f"{where}, which is rank {wrong['rank']}'s, is wrong{seen}"
