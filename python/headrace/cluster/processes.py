"""Processes, told apart from later ones that got the same id, and those that are on a node."""

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from headrace.errors import HeadraceError

# For a program to end by itself after SIGTERM.
_GRACE_SECONDS = 3.0
_KILLS = 10


@dataclass(frozen=True)
class Process:
    pid: int
    start: int
    """In clock ticks since the machine started."""

    @property
    def is_alive(self) -> bool:
        return start_of(self.pid) == self.start


def this_process() -> Process:
    pid = os.getpid()
    return Process(pid, start_of(pid) or 0)


def start_of(pid: int) -> int | None:
    try:
        told = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The second field, a name in parentheses, may hold anything; the start is the 22nd.
    return int(told.rpartition(")")[2].split()[19])


Namespace = tuple[int, int]
"""Device and inode; no other namespace has these while this one lasts."""


def processes_inside(namespaces: list[Path]) -> list[int]:
    """Ids of the processes in the network namespaces mounted on `namespaces`."""
    wanted = _identities(namespaces)
    return [pid for pid in _all_pids() if _namespace_of(pid) in wanted]


def end_processes_inside(namespaces: list[Path]) -> None:
    """Ends them all: first asks, then kills, again where more come up meanwhile."""
    for number in (signal.SIGTERM, *[signal.SIGKILL] * _KILLS):
        _signal_all(namespaces, number)
        left = processes_inside(namespaces)
        if not left:
            return
    raise HeadraceError(f"processes {left} on the nodes cannot be ended, not even killed.")


def _signal_all(namespaces: list[Path], number: signal.Signals) -> None:
    """Returns when all have ended, or some have not for a while."""
    wanted = _identities(namespaces)
    with contextlib.ExitStack() as handles:
        alive = select.poll()
        left = 0
        for handle in filter(None, (_open(pid, wanted) for pid in processes_inside(namespaces))):
            handles.callback(os.close, handle)
            alive.register(handle, select.POLLIN)
            left += 1
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, number)
        _wait(alive, left)


def _open(pid: int, wanted: set[Namespace]) -> int | None:
    """A handle to the process, if that still is in a namespace of `wanted` once it is held."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    if _namespace_of(pid) in wanted:
        return handle
    os.close(handle)
    return None


def _wait(alive: select.poll, left: int) -> None:
    deadline = time.monotonic() + _GRACE_SECONDS
    while left and (seconds := deadline - time.monotonic()) > 0:
        for handle, _ in alive.poll(seconds * 1000):
            alive.unregister(handle)
            left -= 1


def _all_pids() -> Iterator[int]:
    return (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def _identities(namespaces: list[Path]) -> set[Namespace]:
    return {(status.st_dev, status.st_ino) for status in map(os.stat, namespaces)}


def _namespace_of(pid: int) -> Namespace | None:
    """None for a process that has ended, or that this user may not look into."""
    try:
        status = Path(f"/proc/{pid}/ns/net").stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
