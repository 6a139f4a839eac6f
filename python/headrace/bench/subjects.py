"""What takes turns in a benchmark: methods of Headrace, what MPIs have of their own, and what a
good user writes by hand. A floor is run like a subject."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from headrace.bench_format import Kind
from headrace.errors import HeadraceError
from headrace.mpis import Mpi, find_mpirun, romio_of_openmpi
from headrace.options import Method

METHODS = tuple(method.value for method in Method)


class Way(StrEnum):
    """How the benchmark's MPI program moves the data; it knows these names."""

    mpi_io = "mpi_io"
    handmade = "handmade"
    contiguous = "contiguous"
    memcpy = "memcpy"


@dataclass(frozen=True)
class Subject:
    name: str
    title: str
    kind: Kind
    mpi: Mpi
    way: Way = Way.mpi_io
    method: str | None = None  # of Headrace; None: Headrace is not loaded
    environment: dict[str, str] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)
    yields: bool = False  # MPICH's progress loop gives up the core


def method_subject(method: str, mpi: Mpi) -> Subject:
    if method not in METHODS:
        raise HeadraceError(f"no method is called {method}; there are {', '.join(METHODS)}.")
    # Otherwise MPICH would spend its time in spinning waits of the benchmark's own barriers.
    return Subject(method, f"Headrace {method}", "method", mpi, method=method, yields=True)


def schedule_subject(schedule: str, method: Subject) -> Subject:
    """`method` with a schedule, each rank returning when its own data is done."""
    hints = {"headrace_schedule": schedule, "headrace_early_return": "true"}
    return replace(method, name=schedule, title=f"{method.title}, {schedule}", hints=hints)


def known_peers(mpi: Mpi) -> dict[str, Subject]:
    """Every peer that this machine can run, in the order of the table. `mpi`: under which MPI
    `handmade` runs."""
    peers = [Subject("handmade", "by hand", "peer", mpi, Way.handmade, yields=True)]
    if find_mpirun(Mpi.openmpi):
        peers += _openmpi_peers()
    if find_mpirun(Mpi.mpich):
        peers += [
            Subject("romio-mpich", "ROMIO of MPICH, yielding", "peer", Mpi.mpich, yields=True),
            Subject("romio-mpich-spinning", "ROMIO of MPICH", "peer", Mpi.mpich),
        ]
    return {peer.name: peer for peer in peers}


def _openmpi_peers() -> list[Subject]:
    def peer(name: str, title: str, component: str) -> Subject:
        return Subject(name, title, "peer", Mpi.openmpi, environment={"OMPI_MCA_io": component})

    romio = romio_of_openmpi()
    ours = [peer("romio-openmpi", "ROMIO of Open MPI", romio)] if romio else []
    return [peer("ompio", "OMPIO", "ompio"), *ours]


def default_peers(mpi: Mpi) -> list[str]:
    """All but the spinning MPICH, which takes minutes where there are more ranks than cores."""
    return [name for name in known_peers(mpi) if name != "romio-mpich-spinning"]


def peer_subject(name: str, mpi: Mpi) -> Subject:
    peers = known_peers(mpi)
    if name not in peers:
        raise HeadraceError(f"no peer is called {name} here; there are {', '.join(peers)}.")
    return peers[name]


def floor_subject(way: Way, mpi: Mpi) -> Subject:
    return Subject(way.value, way.value, "peer", mpi, way, yields=True)
