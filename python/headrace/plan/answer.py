"""What the planner is asked, and what it answers."""

from typing import TypedDict

from headrace.errors import HeadraceError

SCHEDULES = ("offset", "mdf", "lw_mdf", "gw_mdf", "best")


class Job(TypedDict):
    workload: str
    settings: dict[str, str]
    call: int  # from 0
    ranks: int
    ranks_per_node: int
    osts: int
    stripe: str
    schedules: list[str]


def plan_job(
    workload: str,
    settings: dict[str, str],
    ranks: int,
    ranks_per_node: int,
    osts: int,
    stripe: str,
    schedules: list[str],
    call: int = 0,
) -> Job:
    return {
        "workload": workload,
        "settings": settings,
        "call": call,
        "ranks": ranks,
        "ranks_per_node": ranks_per_node,
        "osts": osts,
        "stripe": stripe,
        "schedules": schedules,
    }


class Layers(TypedDict):
    """Requests of all ranks, and what goes from node to node."""

    requests_before: int
    requests_after: int  # local aggregation
    requests_in_domains: int
    messages: int
    list_bytes: int
    data_bytes: int


class Degree(TypedDict):
    """How many ranks touch a window."""

    min: int
    mean: float
    max: int


class Bound(TypedDict):
    average: float  # response time, in units of t
    reduction: float  # against offset, of 1


class AverageReturn(TypedDict):
    """Of all ranks, in units of t, with early return: data to write is accepted before it is
    served, and aggregators return when all is."""

    write: float
    read: float


class Response(Bound):
    schedule: str
    average_return: AverageReturn
    slowest: int  # rank's response time, in units of t


class Plan(TypedDict):
    nodes: int
    service: str  # by headrace_method=auto
    local_aggregators: int
    global_aggregators: int
    bytes: int
    stripe_bytes: int
    layers: Layers
    windows: int
    rounds: int
    degree: Degree
    weights_to_gather: int
    schedules: list[Response]
    lower_bound: Bound


def schedules_named(text: str) -> list[str]:
    """Of names joined by commas, or "all"."""
    names = list(SCHEDULES) if text == "all" else list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in SCHEDULES:
            raise HeadraceError(f'--schedule: "{name}" is none of {", ".join(SCHEDULES)}, all.')
    return names
