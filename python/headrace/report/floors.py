"""The floors of a bench: what the machine could do at best, measured or computed beside it."""

from dataclasses import dataclass

from headrace.bench_format import Bench, Figures, Operation
from headrace.report import quantities as q

_DASHES = {"contiguous": "solid", "memcpy": "dot", "network": "dash"}


@dataclass(frozen=True)
class Line:
    """A floor as a line in a chart of bandwidths, in bytes per second."""

    name: str
    dash: str
    bandwidth: float

    @property
    def text(self) -> str:
        return f"{self.name} floor, {q.bandwidth(self.bandwidth)}"


def measured_floors(bench: Bench, operation: Operation, part: str) -> dict[str, Figures]:
    """By name; part is "whole" (open to close) or "call"."""
    floors = {name: bench["floors"][name] for name in ("contiguous", "memcpy")}
    return {
        name: floor[operation][part]
        for name, floor in floors.items()
        if floor and operation in floor
    }


def lines(bench: Bench, operation: Operation, part: str) -> list[Line]:
    found = [
        Line(name, _DASHES[name], figures["bandwidth"])
        for name, figures in measured_floors(bench, operation, part).items()
    ]
    seconds = network_seconds(bench, operation)
    if seconds:
        rate = _bytes_of_file(bench) / seconds
        found.append(Line("network", _DASHES["network"], rate))
    return found


def network_seconds(bench: Bench, operation: Operation) -> float | None:
    """Of the whole file; None where no network is known to bound it."""
    network = bench["floors"]["network"]
    return network[operation]["seconds"] or None if network and operation in network else None


def _bytes_of_file(bench: Bench) -> int:
    return bench["workload"]["calls"] * bench["workload"]["bytes_per_call"]
