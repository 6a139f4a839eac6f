"""Brings clusters up and takes them down.

All of a cluster hangs on the mount of its folder, so that any part of it, as a killed `up` leaves
it, is taken down in the same way as a whole one.
"""

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator
from pathlib import Path

from headrace.cluster.description import (
    DEFAULT_NAME,
    NAMESPACES,
    ROOT,
    Cluster,
    Node,
    folders,
    load,
    save,
)
from headrace.cluster.network import MOST_NODES, free_network, make_links
from headrace.cluster.processes import Process, end_processes_inside, this_process
from headrace.cluster.rate import Rate, parse_rate
from headrace.cluster.scripts import write_scripts
from headrace.cluster.tools import require_means, run_tool
from headrace.errors import HeadraceError


@contextlib.contextmanager
def cluster(nodes: int, rate: str | None = None) -> Iterator[Cluster]:
    """A cluster for as long as the context lasts, under a name that nothing else has.

    Where the process is killed, the next bring_up or take_down of anybody removes it.
    """
    owner = this_process()
    made = bring_up(f"of-{owner.pid}-{owner.start}", nodes, rate, owner)
    try:
        yield made
    finally:
        take_down(made.name)


def bring_up(
    name: str, nodes: int, rate: str | None = None, owner: Process | None = None
) -> Cluster:
    """A new cluster; HeadraceError, and nothing left behind, if it cannot be had."""
    wanted = _check(name, nodes, rate)
    require_means()
    with _only_one():
        _remove_unwanted()
        if load(ROOT / name):
            raise HeadraceError(
                f'a cluster "{name}" is up already: take it down first with headrace cluster down, '
                "or give this one another --name"
            )
        made = _describe(name, nodes, wanted, owner)
        try:
            _build(made)
        except BaseException:
            _remove(made.folder)
            raise
    return made


def take_down(name: str = DEFAULT_NAME) -> bool:
    """Ends what runs on the nodes, and removes all of the cluster. False if there was none."""
    require_means()
    with _only_one():
        was_up = load(ROOT / name) is not None
        if was_up:
            _remove(ROOT / name)
        _remove_unwanted()
    return was_up


def _check(name: str, nodes: int, rate: str | None) -> Rate | None:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
        raise HeadraceError(f'--name: "{name}" may only hold letters, digits, "-" and "_".')
    if not 1 <= nodes <= MOST_NODES:
        raise HeadraceError(f"--nodes: {nodes} is not between 1 and {MOST_NODES}.")
    return parse_rate(rate) if rate else None


@contextlib.contextmanager
def _only_one() -> Iterator[None]:
    """Keeps others from making or removing clusters meanwhile: of their remains none is in use."""
    folder = os.open(ROOT.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _describe(name: str, nodes: int, rate: Rate | None, owner: Process | None) -> Cluster:
    network = free_network()
    addresses = zip(range(nodes), network.hosts(), strict=False)
    members = tuple(Node(f"node{index}", str(address)) for index, address in addresses)
    return Cluster(name, members, str(network), rate, owner)


def _build(made: Cluster) -> None:
    made.folder.mkdir(parents=True)
    run_tool("mount", "-t", "tmpfs", "-o", "mode=755", "headrace", made.folder)
    for folder in (made.shared_folder, made.host_shm):
        folder.mkdir()
    run_tool("mount", "--bind", "/dev/shm", made.host_shm)
    write_scripts(made.folder)
    lines = (f"{node.address} {node.name}\n" for node in made.nodes)
    (made.folder / "hosts").write_text("127.0.0.1 localhost\n" + "".join(lines))
    _make_namespaces({"net": made.switch}, "true")
    for node in made.nodes:
        files = {kind: made.namespace(node, kind) for kind in NAMESPACES}
        _make_namespaces(files, "hostname", node.name)
    make_links(made)
    save(made)


def _make_namespaces(files: dict[str, Path], *command: str) -> None:
    """New namespaces, each mounted on its file, in which `command` was run."""
    for file in files.values():
        file.parent.mkdir(exist_ok=True)
        file.touch()
    run_tool("unshare", *(f"--{kind}={file}" for kind, file in files.items()), "--", *command)


def _remove_unwanted() -> None:
    """What killed processes have left behind."""
    for folder in folders():
        found = load(folder)
        if found is None or (found.owner and not found.owner.is_alive):
            _remove(folder)


def _remove(folder: Path) -> None:
    end_processes_inside(list(folder.glob("node*/net")))
    # Lazily: a shell that stands in the shared folder keeps its place, and nobody else sees it.
    while folder.is_mount():
        run_tool("umount", "--lazy", folder)
    with contextlib.suppress(FileNotFoundError):
        folder.rmdir()
    with contextlib.suppress(OSError):
        ROOT.rmdir()
