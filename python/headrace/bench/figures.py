"""From the times of runs to the figures of a table: medians, ranges, and ratios to the best peer
and to the contiguous floor."""

from collections.abc import Callable, Sequence
from statistics import median

from headrace.bench_format import (
    BestPeer,
    CallFigures,
    Figures,
    FloorFigures,
    Operation,
    Run,
    Subject,
    Times,
)

OPERATIONS: tuple[Operation, Operation] = ("write", "read")
_Pick = Callable[[Times], float | None]


def whole(times: Times) -> float:
    return times["whole"]


def first_call(times: Times) -> float:
    return times["calls"][0]


def later_calls(times: Times) -> float | None:
    return median(times["calls"][1:]) if len(times["calls"]) > 1 else None


def any_call(times: Times) -> float:
    return median(times["calls"])


def seconds(runs: Sequence[Run], operation: Operation, pick: _Pick) -> list[float]:
    """What `pick` finds in each run that has it."""
    found = (pick(run[operation]) for run in runs if operation in run)
    return [value for value in found if value is not None]


def figures(times: Sequence[float], size: int) -> Figures | None:
    """Of runs that moved `size` bytes each; the ratios are not known yet."""
    if not times:
        return None
    middle = median(times)
    return {
        "median": middle,
        "min": min(times),
        "max": max(times),
        "n": len(times),
        "bandwidth": size / middle,
        "ratio_to_best_peer": None,
        "ratio_to_floor": None,
    }


def call_figures(
    runs: Sequence[Run], operation: Operation, call_bytes: int, calls: int
) -> CallFigures | None:
    all_calls = figures(seconds(runs, operation, whole), call_bytes * calls)
    first = figures(seconds(runs, operation, first_call), call_bytes)
    if all_calls is None or first is None:
        return None
    later = figures(seconds(runs, operation, later_calls), call_bytes)
    return {"whole": all_calls, "first_call": first, "later_calls": later}


def floor_figures(
    runs: Sequence[Run], operation: Operation, call_bytes: int, calls: int
) -> FloorFigures | None:
    all_calls = figures(seconds(runs, operation, whole), call_bytes * calls)
    call = figures(seconds(runs, operation, any_call), call_bytes)
    return {"whole": all_calls, "call": call} if all_calls and call else None


def _peers(subjects: Sequence[Subject], operation: Operation) -> list[Subject]:
    """Those that were measured and whose data was right."""
    return [
        subject
        for subject in subjects
        if subject["kind"] == "peer" and subject["state"] != "failed" and operation in subject
    ]


def best_peer(subjects: Sequence[Subject], operation: Operation) -> Subject | None:
    """The one with the least median of the whole."""
    peers = _peers(subjects, operation)
    return min(peers, key=lambda peer: peer[operation]["whole"]["median"], default=None)


def best_peers(subjects: Sequence[Subject]) -> BestPeer:
    found = {operation: best_peer(subjects, operation) for operation in OPERATIONS}
    named = {operation: peer and peer["name"] for operation, peer in found.items()}
    return {"write": named["write"], "read": named["read"]}


def add_ratios(
    subjects: Sequence[Subject], operation: Operation, floor: FloorFigures | None
) -> None:
    """Fills in the ratios. The best peer may differ from figure to figure: each is compared with
    the best of its own."""
    for key, floor_key in (("whole", "whole"), ("first_call", "call"), ("later_calls", "call")):
        best = _best(subjects, operation, key)
        bottom = floor[floor_key]["median"] if floor else None
        for subject in subjects:
            own = subject[operation][key] if operation in subject else None
            if own:
                own["ratio_to_best_peer"] = best / own["median"] if best else None
                own["ratio_to_floor"] = bottom / own["median"] if bottom else None


def _best(subjects: Sequence[Subject], operation: Operation, key: str) -> float | None:
    found = (peer[operation][key] for peer in _peers(subjects, operation))
    return min((figures["median"] for figures in found if figures), default=None)
