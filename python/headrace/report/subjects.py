"""Questions about what took turns in a bench."""

from collections.abc import Iterable

from headrace.bench_format import Bench, CallFigures, Figures, Operation, Subject

OPERATIONS: tuple[Operation, ...] = ("write", "read")


def operations_of(bench: Bench) -> list[Operation]:
    """Those that anything was measured of."""
    return [
        operation
        for operation in OPERATIONS
        if any(operation in subject for subject in bench["subjects"])
    ]


def fastest_first(bench: Bench) -> list[Subject]:
    """One order for the whole page: by the first operation measured; the unmeasured at the end."""
    operation = next(iter(operations_of(bench)), "write")
    measured = having(operation, bench["subjects"])
    rest = [subject for subject in bench["subjects"] if subject not in measured]
    return sorted(measured, key=lambda subject: whole(subject, operation)["median"]) + rest


def having(operation: Operation, subjects: Iterable[Subject]) -> list[Subject]:
    return [subject for subject in subjects if operation in subject]


def figures_of(subject: Subject, operation: Operation) -> CallFigures:
    return subject[operation]


def whole(subject: Subject, operation: Operation) -> Figures:
    return subject[operation]["whole"]


def is_verified(subject: Subject) -> bool:
    return all(run["verified"] for run in subject["runs"])


def is_trusted(subject: Subject) -> bool:
    """Whether its figures may stand in a headline."""
    return subject["state"] != "failed" and is_verified(subject)


def remarks(subject: Subject) -> str:
    """What a reader must know before believing the subject's figures; '' for an ordinary one."""
    told = []
    if subject["state"] != "ok":
        told.append(": ".join(filter(None, (subject["state"], subject["message"]))))
    if not is_verified(subject):
        told.append("not verified: wrong bytes, or not looked at")
    if not subject["runs"] and subject["state"] == "ok":
        told.append("no run yet")
    return "; ".join(told)


def mark(subject: Subject) -> str:
    """The remarks in a word or two, to stand beside a bar."""
    if subject["state"] == "failed":
        return "failed"
    if not is_verified(subject):
        return "not verified"
    if not subject["runs"]:
        return "no run"
    return "slow" if subject["state"] == "slow" else ""
