"""The JSON that `headrace bench` writes and `headrace report` reads.

Times are in seconds, sizes in bytes, bandwidths in bytes per second. The file is written anew
after every run, so that a bench cut short leaves what it has. A key that is NotRequired is absent
where nothing was measured. Whoever changes a meaning here raises FORMAT.
"""

from typing import Annotated, Literal, NotRequired, TypedDict

FORMAT = 1

Operation = Literal["write", "read"]
State = Literal["ok", "slow", "failed"]
Kind = Literal["method", "peer"]
Positive = Annotated[float, "above 0"]

# The phases of a call in their order; on every rank they add up to its total.
PHASES = (
    "agree",
    "gather",
    "sort",
    "copy",
    "my_requests",
    "others_requests",
    "domain_sort",
    "placement",
    "exchange",
    "io",
    "waiting",
)
TOTAL = "total"


class Figures(TypedDict):
    """Of n runs. A ratio above 1 is faster than what it is to; null where that did not run."""

    median: Positive
    min: Positive
    max: Positive
    n: int
    bandwidth: Positive  # of the median
    ratio_to_best_peer: float | None
    ratio_to_floor: float | None  # to the contiguous floor


class CallFigures(TypedDict):
    """Of one file: open to close, and its collective calls (view and data)."""

    whole: Figures
    first_call: Figures
    later_calls: Figures | None  # the median of the other calls of each run; null for one call


class FloorFigures(TypedDict):
    whole: Figures
    call: Figures


class ContiguousFloor(TypedDict):
    """The same bytes in one contiguous extent for each of as many processes as cores."""

    write: FloorFigures
    read: NotRequired[FloorFigures]


class MemcpyFloor(TypedDict):
    write: FloorFigures


class NetworkFigures(TypedDict):
    bytes: int  # that must cross links
    even_bytes: int
    seconds: float  # these bytes over the links' rate; 0 where none must cross


class NetworkFloor(TypedDict):
    write: NetworkFigures
    read: NotRequired[NetworkFigures]


class Floors(TypedDict):
    contiguous: ContiguousFloor | None
    memcpy: MemcpyFloor | None
    network: NetworkFloor | None


class Response(TypedDict):
    """From a rank's call to its return, of the data alone; over all ranks."""

    mean: float
    slowest: float


class Times(TypedDict):
    """Of one run; the slowest rank's."""

    open: float
    calls: list[float]  # view and data
    responses: NotRequired[list[Response]]  # of the same calls
    close: float
    whole: Positive


class Run(TypedDict):
    write: NotRequired[Times]
    read: NotRequired[Times]
    verified: bool


class Spread(TypedDict):
    min: float
    mean: float
    max: float


class Timers(TypedDict):
    """By phase and TOTAL, of all calls of the last run's file."""

    ranks: dict[str, Spread]
    aggregators: dict[str, Spread]  # the global aggregators only
    response_time: NotRequired[Spread]  # of one call on one rank


class TimersByOperation(TypedDict):
    write: NotRequired[Timers]
    read: NotRequired[Timers]


class CountersByOperation(TypedDict):
    """Sums over ranks, of the last run."""

    write: NotRequired[dict[str, int]]
    read: NotRequired[dict[str, int]]


class Subject(TypedDict):
    """What took turns: a method of Headrace, or a peer."""

    name: str
    kind: Kind
    title: str
    mpi: str
    state: State
    message: str  # why it failed, in one sentence
    runs: list[Run]
    write: NotRequired[CallFigures]
    read: NotRequired[CallFigures]
    counters: NotRequired[CountersByOperation]  # methods only
    timers: NotRequired[TimersByOperation]  # methods only


class Machine(TypedDict):
    cpu: str
    cores: int
    memory_bytes: int
    kernel: str
    mpis: dict[str, str]
    folder: str
    file_system: str


class Workload(TypedDict):
    name: str
    parameters: dict[str, str]
    ranks: int
    nodes: int
    calls: int
    bytes_per_call: int
    requests_per_call: int
    displacement_stride: int


class Cluster(TypedDict):
    nodes: int
    rate: str  # of each link, each way; empty, and 0 bytes a second: not shaped
    rate_bytes: int


class BestPeer(TypedDict):
    """The names of the subjects with the least median of `whole`; null where no peer ran."""

    write: str | None
    read: NotRequired[str | None]


class ResponseTime(TypedDict):
    """In t, the time of a stripe."""

    average: float
    slowest: float


class PlannedTime(ResponseTime):
    average_return: float  # with early return, of this operation


class ScheduleFigures(TypedDict):
    schedule: str
    planned: PlannedTime
    measured: ResponseTime
    difference: float  # of the measured average to planned average_return, of 1


class Schedules(TypedDict):
    """Response times on a modelled storage, of all calls but each run's first."""

    osts: int
    stripe_bytes: int
    stripe_seconds: float
    write: list[ScheduleFigures]
    read: NotRequired[list[ScheduleFigures]]


class Bench(TypedDict):
    format: int
    headrace: str
    command: str
    started: str
    complete: bool
    repeat: int
    machine: Machine
    workload: Workload
    cluster: Cluster | None
    floors: Floors
    best_peer: BestPeer
    schedules: NotRequired[Schedules]  # with --schedule; the subjects have their names
    subjects: list[Subject]
