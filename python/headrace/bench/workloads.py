"""What the planner's program tells of workloads, with no MPI and nothing run."""

from collections.abc import Mapping
from typing import TypedDict

from headrace.planner import ask

# A page: what one node is taken to write together, where the network's floor is worked out.
_PIECE = 4096


class Description(TypedDict):
    """Of a workload; sizes in bytes."""

    bytes_per_call: int
    requests_per_call: int
    displacement_stride: int
    header_bytes: int
    calls: int
    nodes: int
    least_bytes_across: int  # nodes, each page being written where most of it is
    even_bytes_across: int  # with even file domains, one a node


class Parameter(TypedDict):
    name: str
    default: str
    meaning: str


class Kind(TypedDict):
    """A row of the table of workloads."""

    name: str
    meaning: str
    parameters: list[Parameter]


def describe(
    workload: str, settings: Mapping[str, str], ranks: int, ranks_per_node: int, size: str | None
) -> Description:
    job = {
        "workload": workload,
        "settings": dict(settings),
        "ranks": ranks,
        "ranks_per_node": ranks_per_node,
        "piece": _PIECE,
        "size": size,
    }
    return ask("describe", job)


def kinds() -> list[Kind]:
    return ask("kinds")
