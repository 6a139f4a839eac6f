"""`headrace plan`: its options, and what they come to."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from headrace.json_file import write_json
from headrace.options import OstsOption, SettingsOption, StripeOption, settings_of_options
from headrace.plan.answer import SCHEDULES, Plan, plan_job, schedules_named
from headrace.plan.display import show
from headrace.planner import ask


def plan(
    workload: Annotated[str, typer.Argument(help="What is written; see headrace bench --list.")],
    ranks: Annotated[int, typer.Option("-n", "--ranks", min=1, help="Ranks.")],
    ranks_per_node: Annotated[int, typer.Option(min=1, help="Ranks of a node.")] = 64,
    osts: OstsOption = 8,
    stripe: StripeOption = "1MiB",
    schedule: Annotated[
        str, typer.Option(help=f"{', '.join(SCHEDULES)}, joined by commas, or all.")
    ] = "all",
    call: Annotated[
        int, typer.Option(min=0, help="Which of the program's calls; 0 is the first.")
    ] = 0,
    settings: SettingsOption = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="All figures.")] = None,
) -> None:
    """Show what one collective call would do, by the planning code itself; nothing is run."""
    names = schedules_named(schedule)
    given = settings_of_options(settings)
    job = plan_job(workload, given, ranks, ranks_per_node, osts, stripe, names, call)
    answer: Plan = ask("plan", job)
    if json_file:
        write_json({"job": job, "plan": answer}, json_file)
    show(job, answer, Console(highlight=False))
