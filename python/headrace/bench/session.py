"""A benchmark from its first run to its last: the subjects take turns (A B C A B C), so that what
else the machine does falls on all of them, and what is known is kept in a file after every run."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from headrace.bench import figures
from headrace.bench.machine import describe_machine
from headrace.bench.runner import Outcome, Task, run_subject
from headrace.bench.schedules import Planned, schedules_report
from headrace.bench.subjects import Subject, Way, floor_subject
from headrace.bench.workloads import Description
from headrace.bench_format import (
    FORMAT,
    Bench,
    Floors,
    NetworkFigures,
    NetworkFloor,
    Operation,
    Run,
)
from headrace.bench_format import Cluster as ClusterReport
from headrace.bench_format import Subject as SubjectReport
from headrace.cluster import Cluster
from headrace.json_file import write_json


@dataclass
class Plan:
    """What is to be run."""

    command: str
    task: Task
    subjects: Sequence[Subject]
    repeat: int
    peer_limit: float
    description: Description
    schedules: Planned | None = None  # the subjects are schedules, and have their names
    json_file: Path | None = None


@dataclass
class Record:
    """What is known of one subject."""

    subject: Subject
    state: str = "ok"
    message: str = ""
    runs: list[Run] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)

    def add(self, outcome: Outcome, peer_limit: float) -> None:
        if outcome.run:
            self.runs.append(outcome.run)
        if outcome.message:
            self.state, self.message = "failed", outcome.message
        elif self.subject.kind == "peer" and _longest(self.runs[-1]) > peer_limit:
            self.state = "slow"
            self.message = f"took over {peer_limit:g} s and was run once"
        self.reports = outcome.reports or self.reports

    @property
    def is_over(self) -> bool:
        return self.state != "ok"


def _longest(run: Run) -> float:
    return max(run[name]["whole"] for name in figures.OPERATIONS if name in run)


class Session:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        floors = () if plan.schedules else _FLOORS  # of a real storage
        self.floors = [Record(floor_subject(way, plan.subjects[0].mpi)) for way in floors]
        self.records = [Record(subject) for subject in plan.subjects]
        self.machine = describe_machine(plan.task.folder)
        self.complete = False

    @property
    def run_count(self) -> int:
        """How many runs there are at most."""
        return self.plan.repeat * (len(self.records) + len(self.floors))

    def run(self, progress: Callable[[str], None]) -> None:
        """`progress` is told each run's title before it, and is called for those left out too."""
        for record in self._turns():
            progress(record.subject.title)
            if record.is_over:
                continue
            record.add(run_subject(record.subject, self._task_of(record)), self.plan.peer_limit)
            self.save()
        self.complete = True
        self.save()

    def _turns(self) -> Iterator[Record]:
        for _ in range(self.plan.repeat):
            yield from self.floors
            yield from self.records

    def _task_of(self, record: Record) -> Task:
        """Floors use as many processes as there are cores, and are not spoiled."""
        if record not in self.floors:
            return self.plan.task
        cores = len(os.sched_getaffinity(0))
        return replace(self.plan.task, ranks=cores, hints={}, plant=None, cluster=None)

    def save(self) -> None:
        if self.plan.json_file:
            write_json(self.bench(), self.plan.json_file)

    def bench(self) -> Bench:
        """All that is known now."""
        plan = self.plan
        subjects = [self._subject_report(record) for record in self.records]
        floors = self._floors()
        for operation in figures.OPERATIONS:
            contiguous = floors["contiguous"]
            figures.add_ratios(subjects, operation, (contiguous or {}).get(operation))
        report: Bench = {
            "format": FORMAT,
            "headrace": version("headrace"),
            "command": plan.command,
            "started": self.started,
            "complete": self.complete,
            "repeat": plan.repeat,
            "machine": self.machine,
            "workload": {
                "name": plan.task.workload,
                "parameters": dict(plan.task.settings),
                "ranks": plan.task.ranks,
                "nodes": plan.description["nodes"],
                "calls": plan.task.calls,
                "bytes_per_call": plan.description["bytes_per_call"],
                "requests_per_call": plan.description["requests_per_call"],
                "displacement_stride": plan.description["displacement_stride"],
            },
            "cluster": _cluster_report(plan.task.cluster),
            "floors": floors,
            "best_peer": figures.best_peers(subjects),
            "subjects": subjects,
        }
        if plan.schedules:
            runs = {record.subject.name: record.runs for record in self.records}
            report["schedules"] = schedules_report(plan.schedules, runs)
        return report

    def _subject_report(self, record: Record) -> SubjectReport:
        subject = record.subject
        report: SubjectReport = {
            "name": subject.name,
            "kind": subject.kind,
            "title": subject.title,
            "mpi": subject.mpi.value,
            "state": record.state,
            "message": record.message,
            "runs": record.runs,
        }
        for operation in figures.OPERATIONS:
            found = figures.call_figures(
                record.runs, operation, self.plan.task.bytes_per_call, self.plan.task.calls
            )
            if found:
                report[operation] = found
        if record.reports:
            lines = _by_operation(record.reports)
            report["counters"] = {name: line["counters"] for name, line in lines.items()}
            report["timers"] = {name: line["timers"][name] for name, line in lines.items()}
        return report

    def _floors(self) -> Floors:
        floors: Floors = {"contiguous": None, "memcpy": None, "network": self._network_floor()}
        for record in self.floors:
            task = self.plan.task
            found = {
                operation: floor
                for operation in figures.OPERATIONS
                if (
                    floor := figures.floor_figures(
                        record.runs, operation, task.bytes_per_call, task.calls
                    )
                )
            }
            if found:
                floors[record.subject.name] = found
        return floors

    def _network_floor(self) -> NetworkFloor | None:
        """Each byte that crosses leaves one node and enters another, and every link carries bytes
        both ways at once: with the load spread evenly, each link's share is a node's."""
        task, description = self.plan.task, self.plan.description
        if task.cluster is None or task.cluster.rate is None:
            return None
        across = description["least_bytes_across"] * task.calls
        links = len(task.cluster.nodes) * task.cluster.rate.bytes_per_second
        floor: NetworkFigures = {
            "bytes": across,
            "even_bytes": description["even_bytes_across"] * task.calls,
            "seconds": across / links,
        }
        return {"write": floor, "read": floor} if task.read else {"write": floor}


def _cluster_report(nodes: Cluster | None) -> ClusterReport | None:
    if nodes is None:
        return None
    rate, rate_bytes = (nodes.rate.text, nodes.rate.bytes_per_second) if nodes.rate else ("", 0)
    return {"nodes": len(nodes.nodes), "rate": rate, "rate_bytes": rate_bytes}


_FLOORS = (Way.contiguous, Way.memcpy)


def _by_operation(reports: Sequence[dict[str, Any]]) -> dict[Operation, dict[str, Any]]:
    """The file is opened to be written, then to be read: a report each."""
    return {
        operation: line
        for operation in figures.OPERATIONS
        for line in reports
        if operation in line["timers"]
    }
