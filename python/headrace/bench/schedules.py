"""Schedules in turns on a modelled storage, whose stripes take a time t: what they were planned to
give, and what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from headrace.bench import figures
from headrace.bench_format import (
    Operation,
    PlannedTime,
    ResponseTime,
    Run,
    ScheduleFigures,
    Schedules,
)
from headrace.plan.answer import Job, Plan
from headrace.planner import ask


@dataclass(frozen=True)
class Planned:
    """What the schedules are to give: a plan for each measured call. The first call is not
    measured, as it makes what later ones find made: shared memory, communicators."""

    osts: int
    stripe_seconds: float  # t
    plans: Sequence[Plan]

    def hints(self) -> dict[str, str]:
        return {
            "headrace_model_stripe_time": str(round(self.stripe_seconds * 1e6)),
            "striping_unit": str(self.plans[0]["stripe_bytes"]),
            "striping_factor": str(self.osts),
        }

    def response(self, schedule: str, operation: Operation) -> PlannedTime:
        """In t, of all measured calls."""
        rows = [
            row for plan in self.plans for row in plan["schedules"] if row["schedule"] == schedule
        ]
        return {
            "average": mean(row["average"] for row in rows),
            "average_return": mean(row["average_return"][operation] for row in rows),
            "slowest": mean(row["slowest"] for row in rows),
        }


def plan_schedules(job: Job, calls: int, stripe_seconds: float | None) -> Planned:
    """`job` is of the first call. Without `stripe_seconds` it is chosen so that storage takes much
    longer than everything else."""
    plans: list[Plan] = [ask("plan", {**job, "call": call}) for call in range(1, calls)]
    seconds = stripe_seconds or _stripe_seconds(plans[0])
    return Planned(job["osts"], seconds, plans)


def _stripe_seconds(plan: Plan) -> float:
    """Twenty times what two crowded cores need to move the windows of a round: some for each
    window, for each rank that has data in it, and for each byte."""
    per_window, per_rank, per_byte = 400e-6, 40e-6, 1 / 500e6
    window = (
        per_window + per_rank * plan["degree"]["mean"] + per_byte * plan["bytes"] / plan["windows"]
    )
    return round(20 * window * plan["global_aggregators"], 3)


def schedules_report(planned: Planned, runs: Mapping[str, Sequence[Run]]) -> Schedules:
    """`runs`: of each schedule."""
    report: Schedules = {
        "osts": planned.osts,
        "stripe_bytes": planned.plans[0]["stripe_bytes"],
        "stripe_seconds": planned.stripe_seconds,
        "write": _figures(planned, runs, "write"),
    }
    if read := _figures(planned, runs, "read"):
        report["read"] = read
    return report


def _figures(
    planned: Planned, runs: Mapping[str, Sequence[Run]], operation: Operation
) -> list[ScheduleFigures]:
    found: list[ScheduleFigures] = []
    for schedule, of_schedule in runs.items():
        measured = _measured(of_schedule, operation, planned.stripe_seconds)
        if measured is None:
            continue
        plan = planned.response(schedule, operation)
        found.append(
            {
                "schedule": schedule,
                "planned": plan,
                "measured": measured,
                "difference": measured["average"] / plan["average_return"] - 1,
            }
        )
    return found


def _measured(runs: Sequence[Run], operation: Operation, unit: float) -> ResponseTime | None:
    """In `unit`s; the median of the runs, which have the mean of their calls."""
    averages = figures.seconds(runs, operation, lambda times: _later(times["responses"], "mean"))
    slowest = figures.seconds(runs, operation, lambda times: _later(times["responses"], "slowest"))
    if not averages:
        return None
    return {"average": median(averages) / unit, "slowest": median(slowest) / unit}


def _later(responses: Sequence[Mapping[str, float]], which: str) -> float:
    return mean(response[which] for response in responses[1:])
